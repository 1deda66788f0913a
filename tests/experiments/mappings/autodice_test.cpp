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

TEST(AutoDiceFigure5, EveryRowHasItsExpectedVerdict) {
  expect_expected_verdicts(Reproduced("autodice-fig5"));
}

TEST(AutoDiceDevices, OverlapIsNeverSlowerAndAChainNeverLosesByMoreBoards) {
  const Reproduced devices("autodice-devices");
  expect_expected_verdicts(devices);
  const auto throughput = [&](const std::string& network, const std::string& comm, std::string_view how,
                              std::uint64_t count) {
    for (std::size_t i = 0; i < devices.results.size(); ++i) {
      const Point& point = devices.experiment.points[i];
      if (point.name(PipelineParameter::network) == network && point.name(PipelineParameter::comm) == comm &&
          point.name(PipelineParameter::how) == how && point.count(PipelineParameter::devices) == count) {
        return std::get<double>(devices.results[i].metrics.front().value());
      }
    }
    throw std::out_of_range(network);
  };
  for (const std::string network : {"densenet121", "resnet101", "vgg19"}) {
    for (std::uint64_t count = 1; count <= 8; ++count) {
      EXPECT_GE(throughput(network, "overlap", how_search, count), throughput(network, "paper", how_search, count))
          << network << " on " << count;
      if (count > 1) {
        EXPECT_GE(throughput(network, "overlap", how_exact_chain, count),
                  throughput(network, "overlap", how_exact_chain, count - 1))
            << network << " on " << count;
      }
    }
  }
  // The figures of the note.
  EXPECT_NEAR(throughput("densenet121", "overlap", how_search, 8) / throughput("densenet121", "paper", how_search, 8),
              1.43, 0.005);
  EXPECT_NEAR(throughput("resnet101", "overlap", how_search, 8) / throughput("resnet101", "paper", how_search, 8), 1.63,
              0.005);
}

}  // namespace
}  // namespace spillway::experiments
