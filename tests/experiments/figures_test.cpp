#include <map>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "experiments/report.hpp"
#include "tests/experiments/reproduced.hpp"

namespace spillway::experiments {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Figure6, EveryRowHasItsExpectedVerdict) {
  const Reproduced fig6("fig6");
  EXPECT_THAT(fig6.with(Verdict::miss), testing::IsEmpty());
  EXPECT_THAT(fig6.with(Verdict::unexpected_hit), testing::IsEmpty());
  EXPECT_THAT(fig6.with(Verdict::known_miss),
              testing::ElementsAre("mobilenet-true-io-16k", "mobilenet-true-io-128k", "mobilenet-counts-io-128k"));
  EXPECT_THAT(fig6.with(Verdict::contradictory),
              testing::ElementsAre("mobilenet-io-128k-16s", "mobilenet-counts-io-128k-16s"));
  EXPECT_EQ(fig6.with(Verdict::hit).size(), 25U);
}

TEST(Figure6, TimesAreThoseOfTheStatedRule) {
  const Reproduced fig6("fig6");
  EXPECT_NEAR(fig6.ours("vgg16-io-16k"), 270.08, 0.01);
  EXPECT_NEAR(fig6.ours("vgg16-io-128k"), 48.74, 0.01);
  EXPECT_NEAR(fig6.ours("alexnet-io-16k"), 26.35, 0.01);
  EXPECT_NEAR(fig6.ours("alexnet-io-128k"), 15.54, 0.01);
  EXPECT_NEAR(fig6.ours("mobilenet-io-16k"), 167.7, 0.05);
  EXPECT_NEAR(fig6.ours("mobilenet-io-128k"), 10.30, 0.01);
}

TEST(Figure7, EveryRowHasItsExpectedVerdict) {
  const Reproduced fig7("fig7");
  EXPECT_THAT(fig7.with(Verdict::miss), testing::IsEmpty());
  EXPECT_THAT(fig7.with(Verdict::unexpected_hit), testing::IsEmpty());
  EXPECT_THAT(fig7.with(Verdict::known_miss),
              testing::ElementsAre("alexnet-tasks-128k", "mobilenet-tasks-128k", "mobilenet-counts-tasks-128k",
                                   "alexnet-counts-tasks-16k"));
  EXPECT_EQ(fig7.with(Verdict::contradictory).size(), 4U);
  EXPECT_EQ(fig7.with(Verdict::hit).size(), 9U);
}

TEST(Figure7, CountsAreThoseOfTheStatedRules) {
  const Reproduced fig7("fig7");
  const std::map<std::string, double> expected = {{"vgg16-tasks-16k", 85871},
                                                  {"vgg16-tasks-128k", 2214},
                                                  {"alexnet-tasks-16k", 7457},
                                                  {"alexnet-tasks-128k", 753},
                                                  {"mobilenet-tasks-16k", 54531},
                                                  {"mobilenet-tasks-128k", 562},
                                                  {"vgg16-counts-tasks-16k", 85105},
                                                  {"vgg16-counts-tasks-128k", 2253},
                                                  {"mobilenet-counts-tasks-16k", 55954},
                                                  {"mobilenet-true-tasks-16k-3190", 2829}};
  for (const auto& [id, count] : expected)
    EXPECT_EQ(fig7.ours(id), count) << id;
}

TEST(Report, StandsAloneAndSaysWhatMissedAndWhy) {
  const Reproduced fig7("fig7");
  const ReportSection section{fig7.experiment,     fig7.results, fig7.comparisons,
                              "no-such-directory", "fig7",       "spillway reproduce fig7"};
  const std::string page = report_page({&section, 1}, "0.0");
  EXPECT_THAT(page, Not(HasSubstr("<script")));
  EXPECT_THAT(page, Not(HasSubstr("http")));
  EXPECT_THAT(page, HasSubstr("prefers-color-scheme: dark"));
  EXPECT_THAT(page, HasSubstr("spillway reproduce fig7"));
  for (const Target& target : fig7.experiment.published) {
    if (!target.reason.empty()) {
      EXPECT_THAT(page, HasSubstr("<code>" + target.id + "</code>"));
    }
  }
}

}  // namespace
}  // namespace spillway::experiments
