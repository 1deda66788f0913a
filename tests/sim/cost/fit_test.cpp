#include "sim/cost/fit.hpp"

#include <random>
#include <stdexcept>

#include <gtest/gtest.h>

#include "sim/cost/layer_cost.hpp"

namespace spillway::cost {
namespace {

/// Random layers, each mostly of one kind, on two groups whose costs are known.
std::vector<Sample> samples(const Shares& shares, const std::vector<GroupCosts>& groups) {
  std::mt19937 random(3);
  std::uniform_real_distribution<double> amount(0.5, 2);
  std::vector<Sample> all;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (int i = 0; i < 40; ++i) {
      Sample sample{.group = group, .work = {}, .peak = 1e10 * static_cast<double>(1 + group), .bandwidth = 2e10};
      sample.work.calls = 1 + i % 3;
      sample.work.macs[static_cast<std::size_t>(i % 5)] = 1e8 * amount(random);
      sample.work.bytes[static_cast<std::size_t>(i % 4)] = 1e8 * amount(random);
      Rates rates;
      rates.launch_s = groups[group].launch_s;
      for (std::size_t kind = 0; kind < shares.peak.size(); ++kind)
        rates.macs_per_s[kind] = sample.peak * groups[group].scale * shares.peak[kind];
      for (std::size_t kind = 0; kind < shares.bandwidth.size(); ++kind)
        rates.bytes_per_s[kind] = sample.bandwidth * shares.bandwidth[kind];
      sample.seconds = seconds_of(sample.work, rates);
      all.push_back(sample);
    }
  }
  return all;
}

TEST(Fit, FindsTheNumbersThatMadeTheTimes) {
  const Shares shares{{0.5, 1.2, 0.8, 0.1, 0.4}, {0.2, 0.5, 0.3, 0.6}};
  const std::vector<GroupCosts> groups = {{1, 3e-4}, {1.5, 0}};
  const Fit found = fit(samples(shares, groups), 2, {.tie_kinds = false, .prior_weight = 1e-6});
  // Scale and shares of the peak are known up to one factor.
  const double factor = found.groups[0].scale;
  for (std::size_t kind = 0; kind < shares.peak.size(); ++kind)
    EXPECT_NEAR(found.shares.peak[kind] * factor / shares.peak[kind], 1, 1e-4);
  for (std::size_t kind = 0; kind < shares.bandwidth.size(); ++kind)
    EXPECT_NEAR(found.shares.bandwidth[kind] / shares.bandwidth[kind], 1, 1e-4);
  EXPECT_NEAR(found.groups[1].scale / factor, 1.5, 1e-4);
  EXPECT_NEAR(found.groups[0].launch_s, 3e-4, 1e-7);
  EXPECT_NEAR(found.groups[1].launch_s, 0, 1e-7);
}

TEST(Fit, TiedKindsAreEqualAndUnknownOnesKeepTheirPrior) {
  std::vector<Sample> all = samples(prior_shares, {{1, 1e-4}});
  for (Sample& sample : all)
    sample.work.macs[static_cast<std::size_t>(ComputeKind::depthwise)] = 0;
  std::erase_if(all, [](const Sample& sample) { return sample.work.macs == std::array<double, 5>{}; });
  const Fit found = fit(all, 1);
  EXPECT_EQ(found.shares.peak[static_cast<std::size_t>(ComputeKind::dense)],
            found.shares.peak[static_cast<std::size_t>(ComputeKind::pointwise)]);
  EXPECT_EQ(found.shares.bandwidth[0], found.shares.bandwidth[3]);
  EXPECT_NEAR(found.shares.peak[static_cast<std::size_t>(ComputeKind::depthwise)], 0.15, 1e-9);
  EXPECT_LT(found.rounds, 20'000);
}

TEST(PooledFit, FindsOneScaleAndOneLaunchForAllBoards) {
  // Launches of 2 ms and 1 ms: 4,000 cycles of clocks of 2 MHz and 4 MHz.
  const std::vector<Sample> all = samples(prior_shares, {{1.5, 2e-3}, {1.5, 1e-3}});
  std::vector<double> cycle_s;
  for (const Sample& sample : all)
    cycle_s.push_back(sample.group == 0 ? 1 / 2e6 : 1 / 4e6);
  const PooledCosts found = fit_pooled(all, cycle_s, prior_shares);
  EXPECT_NEAR(found.scale, 1.5, 1e-6);
  EXPECT_NEAR(found.launch_units, 4000, 1e-2);
  EXPECT_THROW(fit_pooled(all, {}, prior_shares), std::invalid_argument);
  EXPECT_THROW(fit_pooled({}, {}, prior_shares), std::invalid_argument);
}

TEST(Fit, RefusesWhatHasNoAnswer) {
  const std::vector<Sample> all = samples(prior_shares, {{1, 1e-4}});
  EXPECT_THROW(fit(all, 2), std::invalid_argument);
  std::vector<Sample> without_time = all;
  without_time.front().seconds = 0;
  EXPECT_THROW(fit(without_time, 1), std::invalid_argument);
}

}  // namespace
}  // namespace spillway::cost
