#include "experiments/runner.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results.hpp"
#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

using testing::HasSubstr;

std::string csv_of(const Experiment& experiment, unsigned jobs) {
  return results_csv(experiment, run_points(experiment.points, {jobs, {}}));
}

const Value& metric(const PointResult& result, std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  return result.metrics.at(static_cast<std::size_t>(found - metrics().begin())).value();
}

TEST(Runner, ResultsAreTheSameForAnyNumberOfThreads) {
  const Experiment experiment =
      parse_experiment(small_experiment("  frames: [1, 3]\n  driver: [virtual-clock, simgrid]\n"), "e.yaml");
  const std::string once = csv_of(experiment, 1);
  for (const unsigned jobs : {1U, 2U, 7U, 64U})
    EXPECT_EQ(csv_of(experiment, jobs), once) << jobs << " jobs";
}

TEST(Runner, APointDoesNotDependOnTheOthers) {
  const Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  const std::vector<PointResult> all = run_points(experiment.points, {2, {}});
  for (std::size_t i = experiment.points.size(); i-- > 0;) {
    const std::vector<PointResult> alone = run_points(std::span(experiment.points).subspan(i, 1), {});
    EXPECT_EQ(alone.front().metrics, all[i].metrics) << "point " << i;
  }
}

TEST(Runner, InfeasiblePointsAreRecordedWithTheirReason) {
  const Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  const std::vector<PointResult> results = run_points(experiment.points, {});
  for (std::size_t i = 0; i < results.size(); ++i) {
    const bool fits = experiment.points[i].count(Parameter::sram) / experiment.points[i].count(Parameter::buffer) >= 4;
    EXPECT_EQ(results[i].status, fits ? PointStatus::done : PointStatus::infeasible) << "point " << i;
    EXPECT_EQ(results[i].metrics.empty(), !fits);
    if (!fits) {
      EXPECT_THAT(results[i].reason, HasSubstr("at least 4"));
    }
  }
}

TEST(Runner, ADeadlockIsAResult) {
  const Experiment experiment = parse_experiment(small_experiment("  frames: 4\n  pools: shared\n"), "e.yaml");
  const std::vector<PointResult> results = run_points(experiment.points, {2, {}});
  const auto stalled = std::ranges::find(results, PointStatus::stalled, &PointResult::status);
  ASSERT_NE(stalled, results.end());
  EXPECT_THAT(stalled->reason, HasSubstr("deadlock after"));
  EXPECT_THAT(stalled->reason, HasSubstr("waits for"));
}

TEST(Runner, ContentionOverridesTheBoardAndLeavesTheInCoreEnergyAlone) {
  const Experiment experiment = parse_experiment(small_experiment("  contention: [0, 20 %]\n"), "e.yaml");
  const std::vector<PointResult> results = run_points(experiment.points, {2, {}});
  const std::size_t parallel = 10, slowed = 11;  // 512 KiB SRAM, 16 KiB buffers
  ASSERT_EQ(experiment.points[slowed].figure(Parameter::contention), 0.2);
  EXPECT_GT(metric(results[slowed], "compute_s"), metric(results[parallel], "compute_s"));
  EXPECT_EQ(metric(results[slowed], "in_core_energy_per_frame_j"),
            metric(results[parallel], "in_core_energy_per_frame_j"));
}

TEST(Runner, ReportsEveryPointOnce) {
  const Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  std::vector<std::size_t> reported;
  run_points(experiment.points, {3, [&](std::size_t finished, std::size_t) { reported.push_back(finished); }});
  EXPECT_THAT(reported, testing::ElementsAre(1, 2, 3, 4, 5, 6, 7, 8));
}

}  // namespace
}  // namespace spillway::experiments
