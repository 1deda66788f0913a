#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

TEST(ExperimentFile, PointsAreTheProductInTheOrderOfTheFileLastParameterFastest) {
  const Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  ASSERT_EQ(experiment.points.size(), 8U);
  EXPECT_EQ(experiment.points[0].count(Parameter::sram), 128U * 1024);
  EXPECT_EQ(experiment.points[0].name(Parameter::mode), "sequential");
  EXPECT_EQ(experiment.points[1].name(Parameter::mode), "parallel");
  EXPECT_EQ(experiment.points[2].count(Parameter::buffer), 64U * 1024);
  EXPECT_EQ(experiment.points[4].count(Parameter::sram), 512U * 1024);
}

TEST(ExperimentFile, WordsForLaterValuesAreResolved) {
  const Experiment experiment = parse_experiment(small_experiment("  frames: [1, 10]\n  window: [all, 4]\n"), "e.yaml");
  // One frame has one window only: `all` and 4 are the same point.
  ASSERT_EQ(experiment.points.size(), 8U * 3);
  EXPECT_EQ(experiment.points[0].count(Parameter::window), 1U);
  EXPECT_EQ(experiment.points[1].count(Parameter::window), 10U);
  EXPECT_EQ(experiment.points[2].count(Parameter::window), 4U);
  EXPECT_EQ(experiment.points[0].figure(Parameter::contention), 0.0);
}

TEST(ExperimentFile, BlocksAreUnitedAndAPointStandsOnce) {
  const Experiment experiment = parse_experiment(small_experiment("also:\n"
                                                                  "  - network: mobilenet\n"
                                                                  "    board: swapnn-paper\n"
                                                                  "    card: swapnn-paper\n"
                                                                  "    sram: 512 KiB\n"
                                                                  "    buffer: [64 KiB, 128 KiB]\n"),
                                                 "e.yaml");
  EXPECT_EQ(experiment.points.size(), 9U);
}

TEST(ExperimentFile, BothOfTwoMistakesAreReportedWhereTheyStand) {
  EXPECT_THAT(problems_of("name: small\n"
                          "title: A small sweep\n"
                          "question: Does it run?\n"
                          "sweep:\n"
                          "  network: [vgg16, mobilnet]\n"
                          "  board: swapnn-paper\n"
                          "  card: swapnn-paper\n"
                          "  sram: 512\n"
                          "  buffer: 16 KiB\n"),
              ElementsAre(AllOf(StartsWith("e.yaml:5:20: sweep.network[1]: "), HasSubstr("mobilnet"),
                                HasSubstr("did you mean \"mobilenet\"?")),
                          AllOf(StartsWith("e.yaml:8:9: sweep.sram: "), HasSubstr("512"))));
}

TEST(ExperimentFile, UnknownAndMissingKeys) {
  EXPECT_THAT(problems_of("name: small\n"
                          "titel: A small sweep\n"
                          "title: A small sweep\n"
                          "question: Does it run?\n"
                          "sweep:\n"
                          "  network: vgg16\n"
                          "  board: swapnn-paper\n"
                          "  sram: 512 KiB\n"
                          "  bufer: 16 KiB\n"),
              testing::UnorderedElementsAre(
                  AllOf(StartsWith("e.yaml:2:1: titel: "), HasSubstr("did you mean \"title\"?")),
                  AllOf(StartsWith("e.yaml:9:3: sweep.bufer: "), HasSubstr("did you mean \"buffer\"?")),
                  AllOf(HasSubstr("sweep.card: "), HasSubstr("missing")),
                  AllOf(HasSubstr("sweep.buffer: "), HasSubstr("missing"))));
}

TEST(ExperimentFile, AnElementTypeThatTheRuleIgnoresIsRefused) {
  EXPECT_THAT(
      problems_of(small_experiment("  element: [int8, float32]\n")),
      ElementsAre(AllOf(StartsWith("e.yaml:11:12: sweep.element: "), HasSubstr("`rule: [halo, min-traffic]`"))));
}

TEST(ExperimentFile, TooManyPointsAreRefusedBeforeTheyAreMade) {
  std::string many = "[1";
  for (int i = 2; i <= 2000; ++i)
    many += ", " + std::to_string(i);
  many += "]";
  EXPECT_THAT(problems_of(small_experiment("  frames: " + many + "\n  window: " + many + "\n")),
              ElementsAre(HasSubstr("more than 1000000 points")));
}

std::string published(const std::string& rest) {
  return small_experiment(
      "published:\n"
      "  - id: a\n"
      "    metric: io_s\n"
      "    kind: given\n"
      "    source: \"it says so\"\n" +
      rest);
}

TEST(PublishedValue, SpeaksOfEveryPointItsFilterSelects) {
  const Experiment experiment = parse_experiment(published("    where: {buffer: 16 KiB, mode: parallel}\n"
                                                           "    ratio_to: {sram: 128 KiB}\n"
                                                           "    range: [0.9, 1.1]\n"),
                                                 "e.yaml");
  ASSERT_EQ(experiment.published.size(), 1U);
  EXPECT_THAT(experiment.published[0].points, ElementsAre(1U, 5U));
  EXPECT_THAT(experiment.published[0].references, ElementsAre(1U, 1U));
}

TEST(PublishedValue, WithoutAPointIsAnError) {
  EXPECT_THAT(problems_of(published("    where: {buffer: 32 KiB}\n    value: 1 s\n    tolerance: 1 %\n")),
              ElementsAre("e.yaml:16:12: published[0].where: no point of the sweep has buffer 32 KiB"));
  EXPECT_THAT(problems_of(published("    where: {buffer: 16 KiB}\n    ratio_to: {sram: 1 MiB}\n    range: [0, 1]\n")),
              ElementsAre(AllOf(StartsWith("e.yaml:17:15: published[0].ratio_to: "), HasSubstr("sram 1 MiB"))));
}

TEST(PublishedValue, NeedsItsUnitAndATolerance) {
  EXPECT_THAT(problems_of(published("    where: {buffer: 16 KiB}\n    value: 257\n")),
              testing::UnorderedElementsAre(StartsWith("e.yaml:17:12: published[0].value: "),
                                            AllOf(HasSubstr("published[0].tolerance: "), HasSubstr("missing"))));
}

TEST(PublishedValue, AnExpectedMissAndAContradictionNeedAReason) {
  const std::string value = "    where: {buffer: 16 KiB}\n    value: 1 s\n    tolerance: 1 %\n";
  EXPECT_THAT(problems_of(published(value + "    expect: miss\n")), ElementsAre(HasSubstr("reason: is missing")));
  EXPECT_THAT(problems_of(published(value + "    reason: because\n")), ElementsAre(HasSubstr("expect: miss")));
  EXPECT_THAT(problems_of(published(value + "    expect: miss\n    reason: because\n")), IsEmpty());
}

TEST(PublishedValue, IsAValueOrARange) {
  EXPECT_THAT(problems_of(published("    where: {buffer: 16 KiB}\n")), ElementsAre(HasSubstr("value: is missing")));
  EXPECT_THAT(problems_of(published("    where: {buffer: 16 KiB}\n    range: [2 s, 1 s]\n")),
              ElementsAre(HasSubstr("the lower one first")));
  EXPECT_THAT(problems_of(published("    where: {buffer: 16 KiB}\n    range: [1 s, 2 s]\n    value: 1 s\n")),
              ElementsAre(HasSubstr("value: stands beside a range")));
}

TEST(PublishedValue, TotalsOfFramesAreRead) {
  const std::string rest = "    where: {buffer: 16 KiB}\n    value: 10 s\n    tolerance: 1 %\n    per: ";
  EXPECT_EQ(parse_experiment(published(rest + "10 frames\n"), "e.yaml").published[0].total_of_frames, 10U);
  EXPECT_THAT(problems_of(published(rest + "10\n")), ElementsAre(StartsWith("e.yaml:19:10: published[0].per: ")));
}

TEST(PublishedValue, IdentifiersAreUnique) {
  const std::string row =
      "  - {id: a, metric: io_s, kind: given, source: s, where: {mode: parallel}, value: 1 s, tolerance: 1 %}\n";
  EXPECT_THAT(problems_of(small_experiment("published:\n" + row + row)),
              ElementsAre(AllOf(StartsWith("e.yaml:13:10: published[1].id: "), HasSubstr("earlier"))));
}

TEST(ExperimentFile, EveryFileOfTheProjectIsSound) {
  ASSERT_THAT(experiment_names(), testing::IsSupersetOf({"fig6", "fig7"}));
  for (const std::string& name : experiment_names())
    EXPECT_EQ(load_experiment(name).name, name);
}

}  // namespace
}  // namespace spillway::experiments
