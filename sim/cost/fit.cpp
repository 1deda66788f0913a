#include "sim/cost/fit.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include <fmt/format.h>

#include "sim/cost/nonnegative.hpp"

namespace spillway::cost {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr std::size_t kinds_of_compute = platforms::compute_kinds.size(),
                      kinds_of_memory = platforms::memory_kinds.size();
constexpr std::size_t all_kinds = kinds_of_compute + kinds_of_memory;
constexpr double typical_launch_s = 1e-4;  // so that both unknowns of a group are about 1
constexpr double least_inverse = 1e-6;
constexpr int most_rounds = 20'000;
constexpr double settled = 1e-10;

/// Which unknown each kind has, compute before memory.
std::vector<std::size_t> unknowns_of_kinds(bool tied) {
  if (tied) return {0, 1, 2, 3, 2, 4, 4, 4, 4};
  return {0, 1, 2, 3, 4, 5, 6, 7, 8};
}

double prior_of(std::size_t kind) {
  return kind < kinds_of_compute ? prior_shares.peak[kind] : prior_shares.bandwidth[kind - kinds_of_compute];
}

/// Alternating least squares. `inverse_` holds prior share / share of each unknown, so that 1 is the prior.
class Alternation {
 public:
  Alternation(std::span<const Sample> samples, std::size_t groups, const FitOptions& options)
      : samples_(samples),
        options_(options),
        unknown_(unknowns_of_kinds(options.tie_kinds)),
        inverse_(VectorXd::Ones(static_cast<Index>(*std::ranges::max_element(unknown_) + 1))),
        launch_(groups, 0),
        inverse_scale_(groups, 1) {
    for (const Sample& sample : samples)
      seconds_.push_back(seconds_at_prior(sample));
  }

  Fit run() {
    Fit result;
    double change = 1;
    for (; result.rounds < most_rounds && change > settled; ++result.rounds) {
      const VectorXd before = inverse_;
      for (std::size_t group = 0; group < launch_.size(); ++group)
        fit_group(group);
      fit_shares();
      change = ((inverse_ - before).cwiseAbs().cwiseQuotient(before)).maxCoeff();
    }
    for (std::size_t group = 0; group < launch_.size(); ++group)
      fit_group(group);
    for (std::size_t group = 0; group < launch_.size(); ++group)
      result.groups.push_back({1 / inverse_scale_[group], launch_[group]});
    for (std::size_t kind = 0; kind < all_kinds; ++kind) {
      const double share = prior_of(kind) / inverse_(static_cast<Index>(unknown_[kind]));
      (kind < kinds_of_compute ? result.shares.peak[kind] : result.shares.bandwidth[kind - kinds_of_compute]) = share;
    }
    return result;
  }

 private:
  /// Seconds of each kind of work if its share were the prior's and the scale 1.
  static std::array<double, all_kinds> seconds_at_prior(const Sample& sample) {
    std::array<double, all_kinds> seconds{};
    for (std::size_t kind = 0; kind < kinds_of_compute; ++kind)
      seconds[kind] = sample.work.macs[kind] / (sample.peak * prior_of(kind));
    for (std::size_t kind = 0; kind < kinds_of_memory; ++kind)
      seconds[kinds_of_compute + kind] =
          sample.work.bytes[kind] / (sample.bandwidth * prior_of(kinds_of_compute + kind));
    return seconds;
  }

  double inverse_of(std::size_t kind) const { return inverse_(static_cast<Index>(unknown_[kind])); }

  void fit_group(std::size_t group) {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < samples_.size(); ++i)
      if (samples_[i].group == group) rows.push_back(i);
    MatrixXd a(static_cast<Index>(rows.size()), 2);
    VectorXd b(static_cast<Index>(rows.size()));
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Sample& sample = samples_[rows[row]];
      double compute = 0, memory = 0;
      for (std::size_t kind = 0; kind < all_kinds; ++kind)
        (kind < kinds_of_compute ? compute : memory) += seconds_[rows[row]][kind] * inverse_of(kind);
      const double scale = std::sqrt(sample.weight) / sample.seconds;
      a(static_cast<Index>(row), 0) = sample.work.calls * typical_launch_s * scale;
      a(static_cast<Index>(row), 1) = compute * scale;
      b(static_cast<Index>(row)) = (sample.seconds - memory) * scale;
    }
    const VectorXd x = nonnegative_least_squares(a, b);
    launch_[group] = x(0) * typical_launch_s;
    inverse_scale_[group] = std::max(x(1), least_inverse);
  }

  void fit_shares() {
    const Index unknowns = inverse_.size(), rows = static_cast<Index>(samples_.size());
    MatrixXd a = MatrixXd::Zero(rows + unknowns, unknowns);
    VectorXd b(rows + unknowns);
    for (Index row = 0; row < rows; ++row) {
      const Sample& sample = samples_[static_cast<std::size_t>(row)];
      const double scale = std::sqrt(sample.weight) / sample.seconds;
      for (std::size_t kind = 0; kind < all_kinds; ++kind) {
        const double factor = kind < kinds_of_compute ? inverse_scale_[sample.group] : 1;
        a(row, static_cast<Index>(unknown_[kind])) += seconds_[static_cast<std::size_t>(row)][kind] * factor * scale;
      }
      b(row) = (sample.seconds - sample.work.calls * launch_[sample.group]) * scale;
    }
    a.bottomRows(unknowns).diagonal().setConstant(options_.prior_weight);
    b.tail(unknowns).setConstant(options_.prior_weight);
    inverse_ = nonnegative_least_squares(a, b).cwiseMax(least_inverse);
  }

  std::span<const Sample> samples_;
  FitOptions options_;
  std::vector<std::size_t> unknown_;  ///< by kind
  VectorXd inverse_;                  ///< by unknown
  std::vector<double> launch_, inverse_scale_;
  std::vector<std::array<double, all_kinds>> seconds_;
};

}  // namespace

Fit fit(std::span<const Sample> samples, std::size_t groups, const FitOptions& options) {
  for (std::size_t group = 0; group < groups; ++group)
    if (std::ranges::find(samples, group, &Sample::group) == samples.end())
      throw std::invalid_argument(fmt::format("group {} has no measured time", group));
  for (const Sample& sample : samples) {
    const bool positive = sample.peak > 0 && sample.bandwidth > 0 && sample.seconds > 0 && sample.weight > 0;
    if (!positive || sample.group >= groups) throw std::invalid_argument("a measured time without a positive number");
  }
  return Alternation(samples, groups, options).run();
}

PooledCosts fit_pooled(std::span<const Sample> samples, std::span<const double> launch_unit_s, const Shares& shares) {
  if (samples.empty() || samples.size() != launch_unit_s.size())
    throw std::invalid_argument("a pooled fit needs times, and a unit of the launch for each");
  // In units of the largest, so that both unknowns are about 1.
  const double largest_s = *std::ranges::max_element(launch_unit_s);
  const Index rows = static_cast<Index>(samples.size());
  MatrixXd a(rows, 2);
  VectorXd b(rows);
  for (Index row = 0; row < rows; ++row) {
    const Sample& sample = samples[static_cast<std::size_t>(row)];
    double compute = 0, memory = 0;
    for (std::size_t kind = 0; kind < kinds_of_compute; ++kind)
      compute += sample.work.macs[kind] / (sample.peak * shares.peak[kind]);
    for (std::size_t kind = 0; kind < kinds_of_memory; ++kind)
      memory += sample.work.bytes[kind] / (sample.bandwidth * shares.bandwidth[kind]);
    const double scale = std::sqrt(sample.weight) / sample.seconds;
    a(row, 0) = sample.work.calls * launch_unit_s[static_cast<std::size_t>(row)] / largest_s * typical_launch_s * scale;
    a(row, 1) = compute * scale;
    b(row) = (sample.seconds - memory) * scale;
  }
  const VectorXd x = nonnegative_least_squares(a, b);
  return {1 / std::max(x(1), least_inverse), x(0) * typical_launch_s / largest_s};
}

}  // namespace spillway::cost
