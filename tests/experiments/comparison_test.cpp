#include "experiments/comparison.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

/// Results of small_experiment() in which every metric of point i is 10 (i + 1).
std::vector<PointResult> made_up_results(const Experiment& experiment) {
  std::vector<PointResult> results(experiment.points.size());
  for (std::size_t i = 0; i < results.size(); ++i)
    results[i].metrics.assign(metrics().size(), Value(10.0 * static_cast<double>(i + 1)));
  return results;
}

/// Point 1 (128 KiB SRAM, 16 KiB buffers, parallel) has 20 s, point 5 (512 KiB) has 60 s.
Comparison compare_one(const std::string& rest, PointStatus status = PointStatus::done) {
  static Experiment experiment;
  experiment = parse_experiment(small_experiment("published:\n"
                                                 "  - id: a\n"
                                                 "    metric: io_s\n"
                                                 "    source: \"it says so\"\n"
                                                 "    where: {sram: 512 KiB, buffer: 16 KiB, mode: parallel}\n" +
                                                 rest),
                                "e.yaml");
  std::vector<PointResult> results = made_up_results(experiment);
  if (status != PointStatus::done) results[5] = {status, "because", {}};
  return compare(experiment, results).at(0);
}

TEST(Comparison, AValueIsHitWithinItsToleranceBoundsIncluded) {
  EXPECT_EQ(compare_one("    kind: given\n    value: 60 s\n    tolerance: 0 %\n").verdict, Verdict::hit);
  EXPECT_EQ(compare_one("    kind: given\n    value: 50 s\n    tolerance: 20 %\n").verdict, Verdict::hit);
  EXPECT_EQ(compare_one("    kind: given\n    value: 50 s\n    tolerance: 19 %\n").verdict, Verdict::miss);
  EXPECT_EQ(compare_one("    kind: given\n    value: 75 s\n    tolerance: 19 %\n").verdict, Verdict::miss);
  EXPECT_DOUBLE_EQ(compare_one("    kind: given\n    value: 75 s\n    tolerance: 19 %\n").ratio.value(), 0.8);
}

TEST(Comparison, ARangeIncludesItsBounds) {
  EXPECT_EQ(compare_one("    kind: derived\n    range: [60 s, 61 s]\n").verdict, Verdict::hit);
  EXPECT_EQ(compare_one("    kind: derived\n    range: [61 s, 62 s]\n").verdict, Verdict::miss);
}

TEST(Comparison, ARatioRefersToTheSamePointWithChanges) {
  const Comparison comparison =
      compare_one("    ratio_to: {sram: 128 KiB}\n    kind: derived\n    range: [2.9, 3.1]\n");
  EXPECT_DOUBLE_EQ(comparison.ours.value(), 3);
  EXPECT_EQ(comparison.verdict, Verdict::hit);
}

TEST(Comparison, ATotalIsComparedByTheFrame) {
  const Comparison comparison =
      compare_one("    kind: derived\n    value: 600 s\n    per: 10 frames\n    tolerance: 0 %\n");
  EXPECT_EQ(comparison.published, 60);
  EXPECT_EQ(comparison.verdict, Verdict::hit);
  EXPECT_EQ(describe_published(comparison), "60 s (600 s in 10 frames)");
}

TEST(Comparison, ExpectedMissesAndContradictionsDoNotFailTheRun) {
  const Comparison known =
      compare_one("    kind: given\n    value: 1 s\n    tolerance: 1 %\n    expect: miss\n    reason: because\n");
  EXPECT_EQ(known.verdict, Verdict::known_miss);
  EXPECT_FALSE(has_unexpected_miss({&known, 1}));
  const Comparison shown = compare_one("    kind: contradictory\n    value: 1 s\n    reason: because\n");
  EXPECT_EQ(shown.verdict, Verdict::contradictory);
  EXPECT_FALSE(has_unexpected_miss({&shown, 1}));
  const Comparison outdated =
      compare_one("    kind: given\n    value: 60 s\n    tolerance: 1 %\n    expect: miss\n    reason: because\n");
  EXPECT_EQ(outdated.verdict, Verdict::unexpected_hit);
}

TEST(Comparison, AnUnexpectedMissFailsTheRun) {
  const Comparison miss = compare_one("    kind: given\n    value: 1 s\n    tolerance: 1 %\n");
  EXPECT_TRUE(has_unexpected_miss({&miss, 1}));
}

TEST(Comparison, APointWithoutResultIsAMiss) {
  for (const PointStatus status : {PointStatus::infeasible, PointStatus::stalled, PointStatus::failed}) {
    const Comparison comparison = compare_one("    kind: given\n    value: 60 s\n    tolerance: 1 %\n", status);
    EXPECT_EQ(comparison.verdict, Verdict::miss);
    EXPECT_EQ(describe_ours(comparison), "-");
  }
}

}  // namespace
}  // namespace spillway::experiments
