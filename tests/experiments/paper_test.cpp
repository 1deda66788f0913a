#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/reproduced.hpp"

namespace spillway::experiments {
namespace {

using testing::IsEmpty;
using testing::UnorderedElementsAre;

class Paper : public testing::TestWithParam<const char*> {};

TEST_P(Paper, EveryRowHasItsExpectedVerdict) {
  const Reproduced done(GetParam());
  EXPECT_THAT(done.with(Verdict::miss), IsEmpty());
  EXPECT_THAT(done.with(Verdict::unexpected_hit), IsEmpty());
  for (const PointResult& result : done.results)
    EXPECT_NE(result.status, PointStatus::failed) << result.reason;
}

INSTANTIATE_TEST_SUITE_P(Experiments, Paper,
                         testing::Values("crypto", "energy", "fig2", "fig3", "fig4", "fig6-sensitivity", "fig8", "fig9",
                                         "table2", "wear"));

/// What the paper states, by the experiment and the id of its row: nothing of it may get lost.
TEST(Coverage, EveryPublishedStatementHasItsRow) {
  const std::map<std::string, std::vector<std::string>> stated = {
      // IO tasks, IO time and hidden IO.
      {"fig6",
       {"vgg16-io-16k", "vgg16-io-128k", "alexnet-io-16k", "alexnet-io-128k", "mobilenet-io-16k", "mobilenet-io-128k",
        "mobilenet-io-128k-16s", "vgg16-hidden-16k", "vgg16-hidden-128k", "vgg16-latency-by-sram",
        "alexnet-latency-by-sram", "mobilenet-latency-by-sram"}},
      {"fig7",
       {"vgg16-tasks-16k", "vgg16-tasks-128k", "alexnet-tasks-16k", "alexnet-tasks-128k", "mobilenet-tasks-16k",
        "mobilenet-tasks-16k-10-frames", "mobilenet-tasks-16k-3190", "mobilenet-tasks-128k"}},
      // Throughput.
      {"fig8",
       {"mobilenet-throughput-by-buffer", "vgg16-throughput-by-buffer", "alexnet-throughput-by-buffer",
        "vgg16-throughput-by-sram", "alexnet-throughput-by-sram", "mobilenet-throughput-by-sram-small-buffers",
        "mobilenet-throughput-by-sram-large-buffers", "cross-frame-gain-512k", "vgg16-cross-frame-gain-8m",
        "alexnet-cross-frame-gain-8m", "mobilenet-cross-frame-gain-8m-small-buffers",
        "mobilenet-cross-frame-gain-8m-large-buffers"}},
      {"fig9", {"frames-overlap-8m", "frames-overlap-512k"}},
      {"fig4", {"overlap-hides-io", "overlap-shortens-the-run"}},
      // Layers.
      {"table2",
       {"mobilenet-compute-bound", "mobilenet-io-bound", "alexnet-compute-bound", "alexnet-io-bound",
        "vgg16-compute-bound", "vgg16-io-bound", "resnet18-compute-bound", "resnet18-io-bound",
        "googlenet-compute-bound", "googlenet-io-bound"}},
      {"fig2", {"alexnet-stages-compute", "alexnet-stages-io"}},
      {"fig3", {"vgg16-compute-dominates", "alexnet-compute-dominates", "mobilenet-io-dominates"}},
      // Wear and energy.
      {"wear",
       {"vgg16-written-per-day", "alexnet-written-per-day", "mobilenet-written-per-day", "vgg16-first-cell-low",
        "vgg16-first-cell-high", "vgg16-half-cells", "alexnet-first-cell-low", "alexnet-first-cell-high",
        "alexnet-half-cells", "mobilenet-first-cell-low", "mobilenet-first-cell-high", "mobilenet-half-cells"}},
      {"energy",
       {"benchmark-in-core-time", "benchmark-out-of-core-time", "benchmark-in-core-energy",
        "benchmark-out-of-core-energy", "benchmark-energy-ratio"}},
  };
  for (const auto& [name, ids] : stated) {
    std::set<std::string> known;
    for (const Target& target : load_experiment(name).published)
      known.insert(target.id);
    for (const std::string& id : ids)
      EXPECT_TRUE(known.contains(id)) << name << ": " << id;
  }
}

TEST(Figure8, MobileNetGainsMostFromLargerBuffers) {
  const Reproduced fig8("fig8");
  EXPECT_NEAR(fig8.ours("mobilenet-throughput-by-buffer"), 14.0, 0.05);
  EXPECT_GT(fig8.ours("mobilenet-throughput-by-buffer"), 2 * fig8.ours("vgg16-throughput-by-buffer"));
  EXPECT_GT(fig8.ours("mobilenet-throughput-by-buffer"), 2 * fig8.ours("alexnet-throughput-by-buffer"));
  EXPECT_NEAR(fig8.ours("mobilenet-true-throughput-by-buffer"), 1.2, 0.05);
}

TEST(Table2, CountsAreThoseOfTheStatedDefinition) {
  const Reproduced table2("table2");
  const std::map<std::string, double> expected = {{"mobilenet-compute-bound", 14}, {"mobilenet-io-bound", 13},
                                                  {"alexnet-compute-bound", 5},    {"alexnet-io-bound", 3},
                                                  {"vgg16-compute-bound", 13},     {"vgg16-io-bound", 3},
                                                  {"resnet18-compute-bound", 20},  {"resnet18-io-bound", 1},
                                                  {"googlenet-compute-bound", 55}, {"googlenet-io-bound", 3}};
  for (const auto& [id, count] : expected)
    EXPECT_EQ(table2.ours(id), count) << id;
  EXPECT_THAT(table2.with(Verdict::known_miss),
              UnorderedElementsAre("vgg16-io-bound", "resnet18-compute-bound", "resnet18-io-bound",
                                   "googlenet-compute-bound", "googlenet-io-bound"));
}

TEST(Wear, BytesPerDayAreThoseOfTheNote) {
  const Reproduced wear("wear");
  EXPECT_NEAR(wear.ours("vgg16-written-per-day") / 1e9, 2.00, 0.02);
  EXPECT_NEAR(wear.ours("alexnet-written-per-day") / 1e9, 2.61, 0.03);
  EXPECT_NEAR(wear.ours("mobilenet-written-per-day") / 1e9, 25.1, 0.2);
}

}  // namespace
}  // namespace spillway::experiments
