#include "experiments/mappings/mapping_runs.hpp"

#include <algorithm>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/results.hpp"

namespace spillway::experiments {
namespace {

using testing::HasSubstr;

constexpr const char* small = R"(
name: small
title: A small sweep
question: Does it run?
kind: pipeline
sweep:
  network: squeezenet
  cluster: jetson-xavier-nx8
  devices: [1, 2, 3]
  search_devices: 3
  individuals: 20
  generations: 10
also:
  - {network: squeezenet, cluster: jetson-xavier-nx8, devices: 1, resources: [gpu, all-cores], how: alone}
  - {network: squeezenet, cluster: jetson-xavier-nx8, devices: [1, 2, 9], resources: gpu, how: exact-chain}
tables: [searches]
)";

double figure(const PointResult& result, std::string_view name) {
  const auto metrics = pipeline_runs().metrics;
  const auto found = std::ranges::find(metrics, name, &Metric::name);
  const Value value = result.metrics.at(static_cast<std::size_t>(found - metrics.begin())).value();
  const auto* count = std::get_if<std::uint64_t>(&value);
  return count ? static_cast<double>(*count) : std::get<double>(value);
}

TEST(MappingRuns, TheBestOfEachNumberOfDevices) {
  const Experiment experiment = parse_experiment(small, "e.yaml");
  MappingRuns runs(experiment);
  const std::vector<PointResult> results = runs.run({.jobs = 2});
  ASSERT_EQ(results.size(), 8U);
  for (std::size_t i = 0; i < 7; ++i)
    ASSERT_EQ(results[i].status, PointStatus::done) << i << results[i].reason;
  EXPECT_EQ(results[7].status, PointStatus::infeasible);
  EXPECT_THAT(results[7].reason, HasSubstr("jetson-xavier-nx8 has 8 devices"));

  // A search begins with each resource alone: its best is no worse.
  EXPECT_GE(figure(results[0], "throughput_fps"), figure(results[3], "throughput_fps"));
  for (std::size_t i = 0; i < 3; ++i) {
    EXPECT_LE(figure(results[i], "least_energy_j"), figure(results[i], "energy_j"));
    EXPECT_LE(figure(results[i], "least_memory_bytes"), figure(results[i], "memory_bytes"));
    EXPECT_GE(figure(results[i], "throughput_up_to_fps"), figure(results[i], "throughput_fps"));
  }
  EXPECT_GE(figure(results[2], "throughput_up_to_fps"), figure(results[0], "throughput_fps"));
}

TEST(MappingRuns, OneResourceAloneIsTheChainOfOne) {
  const Experiment experiment = parse_experiment(small, "e.yaml");
  MappingRuns runs(experiment);
  const std::vector<PointResult> results = runs.run({});
  EXPECT_EQ(figure(results[3], "gpus"), 1);
  EXPECT_EQ(figure(results[3], "cores"), 0);
  EXPECT_EQ(figure(results[4], "cores"), 6);
  EXPECT_EQ(figure(results[3], "pipeline_efficiency"), 1);
  EXPECT_NEAR(figure(results[5], "throughput_fps") / figure(results[3], "throughput_fps"), 1, 1e-6);
  EXPECT_NEAR(figure(results[5], "memory_bytes"), figure(results[3], "memory_bytes"), 1);
}

TEST(MappingRuns, ThreadsAndEarlierResultsChangeNothing) {
  const Experiment experiment = parse_experiment(small, "e.yaml");
  MappingRuns first(experiment), second(experiment);
  const std::vector<PointResult> once = first.run({.jobs = 1});
  std::vector<std::optional<PointResult>> known(once.begin(), once.end());
  known[1].reset();
  const std::vector<PointResult> again = second.run({.jobs = 3, .known = known});
  EXPECT_EQ(results_csv(experiment, again), results_csv(experiment, once));
  EXPECT_EQ(first.searches_csv(), second.searches_csv());
}

TEST(MappingRuns, EveryMappingOfASearchHasALine) {
  const Experiment experiment = parse_experiment(small, "e.yaml");
  MappingRuns runs(experiment);
  const std::vector<PointResult> results = runs.run({});
  const std::string csv = runs.searches_csv();
  double mappings = 0;
  for (std::size_t i = 0; i < 3; ++i)
    mappings += figure(results[i], "mappings");
  EXPECT_EQ(std::ranges::count(csv, '\n'), 1 + static_cast<std::ptrdiff_t>(mappings));
  EXPECT_THAT(csv, HasSubstr(",yes\n"));
}

TEST(MappingRuns, FinishedPointsAreKeptAndReadBack) {
  const Experiment experiment = parse_experiment(small, "e.yaml");
  MappingRuns runs(experiment);
  const std::vector<PointResult> results = runs.run({});
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "kept-mappings";
  std::filesystem::remove_all(folder);
  const ResultsDirectory directory(folder, experiment, false);
  {
    const auto journal = directory.begin(experiment, "1", {});
    for (std::size_t i = 0; i < results.size(); ++i)
      journal->append(i, results[i]);
  }
  EXPECT_THROW(directory.refuse_unfinished(), platforms::InputError);
  const auto kept = directory.unfinished(experiment, "1");
  ASSERT_TRUE(kept);
  EXPECT_EQ(kept->finished, results.size());
  std::vector<PointResult> read;
  for (const auto& result : kept->results)
    read.push_back(result.value());
  EXPECT_EQ(results_csv(experiment, read), results_csv(experiment, results));
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace spillway::experiments
