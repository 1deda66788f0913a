#include <algorithm>
#include <stdexcept>
#include <string>
#include <string_view>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/comparison.hpp"
#include "experiments/mappings/mapping_runs.hpp"

namespace spillway::experiments {
namespace {

/// An experiment, run and held against its published values.
struct Reproduced {
  explicit Reproduced(const std::string& name)
      : experiment(load_experiment(name)),
        results(MappingRuns(experiment).run({.jobs = 2})),
        comparisons(compare(experiment, results)) {}

  double ours(const std::string& id) const {
    for (const Comparison& comparison : comparisons)
      if (comparison.target->id == id) return comparison.ours.value();
    throw std::out_of_range(id);
  }

  Experiment experiment;
  std::vector<PointResult> results;
  std::vector<Comparison> comparisons;
};

void expect_expected_verdicts(const Reproduced& done) {
  for (const PointResult& result : done.results)
    EXPECT_EQ(result.status, PointStatus::done) << result.reason;
  for (const Comparison& comparison : done.comparisons) {
    EXPECT_NE(comparison.verdict, Verdict::miss) << comparison.target->id;
    EXPECT_NE(comparison.verdict, Verdict::unexpected_hit) << comparison.target->id;
  }
}

TEST(AutoDiceTable2, PointAIsFasterThanThePaperEvenOneAfterTheOther) {
  const Reproduced table2("autodice-table2");
  expect_expected_verdicts(table2);
  EXPECT_NEAR(table2.ours("gpu-over-cpu-throughput"), 1.735, 0.01);
  EXPECT_NEAR(table2.ours("point-a-efficiency"), 0.67, 0.02);
  EXPECT_GT(table2.ours("point-a-efficiency-overlap"), 0.9);
  EXPECT_GT(table2.ours("point-a-efficiency-exact"), 0.9);
}

TEST(AutoDiceFitted, OneBoardIsMetAndPointAIsNotNearer) {
  const Reproduced fitted("autodice-fitted");
  expect_expected_verdicts(fitted);
  // The simulation of one board agrees with the closed form that was fitted.
  EXPECT_NEAR(fitted.ours("gpu-over-cpu-throughput-fitted"), 1.591, 0.005);
  EXPECT_NEAR(fitted.ours("gpu-over-cpu-energy-fitted"), 0.7175, 0.003);
  EXPECT_GT(fitted.ours("point-a-throughput-gpu-fitted"), fitted.ours("point-a-throughput-gpu-unfitted"));
  EXPECT_NEAR(fitted.ours("point-a-energy-gpu-fitted"), fitted.ours("point-a-energy-gpu-unfitted"), 0.01);
  EXPECT_LT(fitted.ours("point-a-throughput-cpu-fitted"), fitted.ours("point-a-throughput-cpu-unfitted"));
}

TEST(AutoDiceFigure5, EveryRowHasItsExpectedVerdict) {
  expect_expected_verdicts(Reproduced("autodice-fig5"));
}

TEST(AutoDiceDevices, OverlapIsNeverSlowerAndAChainNeverLosesByMoreBoards) {
  const Reproduced devices("autodice-devices");
  expect_expected_verdicts(devices);
  const auto throughput = [&](const std::string& network, const std::string& comm, std::string_view how,
                              std::uint64_t count, std::string_view resources) {
    for (std::size_t i = 0; i < devices.results.size(); ++i) {
      const Point& point = devices.experiment.points[i];
      if (point.name(PipelineParameter::network) == network && point.name(PipelineParameter::comm) == comm &&
          point.name(PipelineParameter::how) == how && point.count(PipelineParameter::devices) == count &&
          point.name(PipelineParameter::resources) == resources) {
        return std::get<double>(devices.results[i].metrics.front().value());
      }
    }
    throw std::out_of_range(network);
  };
  double least_of_exact = 1;
  for (const std::string network : {"densenet121", "resnet101", "vgg19"}) {
    for (std::uint64_t count = 1; count <= 8; ++count) {
      EXPECT_GE(throughput(network, "overlap", how_search, count, "all"),
                throughput(network, "paper", how_search, count, "all"))
          << network << " on " << count;
      const double exact = throughput(network, "overlap", how_exact_chain, count, "gpu");
      if (count > 1) {
        EXPECT_GE(exact, throughput(network, "overlap", how_exact_chain, count - 1, "gpu"))
            << network << " on " << count;
      }
      // A search may also cut where several tensors pass, and is measured over 20 frames.
      const double of_exact = throughput(network, "overlap", how_search, count, "gpu") / exact;
      EXPECT_LT(of_exact, 1.02) << network << " on " << count;
      least_of_exact = std::min(least_of_exact, of_exact);
    }
  }
  // The figures of the notes.
  EXPECT_NEAR(least_of_exact, 0.85, 0.01);
  const auto overlap_over_paper = [&](const std::string& network) {
    return throughput(network, "overlap", how_search, 8, "all") / throughput(network, "paper", how_search, 8, "all");
  };
  EXPECT_NEAR(overlap_over_paper("densenet121"), 1.43, 0.005);
  EXPECT_NEAR(overlap_over_paper("resnet101"), 1.63, 0.005);
}

}  // namespace
}  // namespace spillway::experiments
