#include <csignal>
#include <filesystem>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/experiments/launcher/launched.hpp"

/// Jobs of spillway-mpi of which something dies, or that are stopped.
namespace spillway::launcher_test {
namespace {

using cli_test::Call;
using cli_test::spillway;
using testing::AllOf;
using testing::HasSubstr;

/// The journals' lines: the header, then one a point or generation.
constexpr std::size_t some_lines = 4;

class SweepSurvival : public Launched {
 protected:
  SweepSurvival() : experiment(file("slow.yaml", slow_sweep)) {}

  void SetUp() override { ASSERT_EQ(spillway(sweep(experiment, "one")).exit_code, 0); }

  /// Once some points are kept.
  bool is_on_its_way(Job& job) const { return wait_for_lines(job, "out", "points.journal", some_lines); }

  bool is_complete() const { return std::filesystem::exists(folder / "out/run.json"); }

  const std::string experiment;
};

TEST_F(SweepSurvival, WithoutAnyWorkerItSaysHowToGoOn) {
  {
    Job job(2, sweep(experiment, "out"));
    ASSERT_TRUE(is_on_its_way(job));
    for (const pid_t worker : job.workers())
      ASSERT_EQ(::kill(worker, SIGKILL), 0);
    const Call call = job.wait();
    EXPECT_EQ(call.exit_code, 1) << call.err;
    EXPECT_THAT(call.err, AllOf(HasSubstr("spillway sweep: all workers have ended; worker "),
                                HasSubstr(" of 48 points are kept; to continue: spillway sweep ")));
  }
  EXPECT_FALSE(is_complete());
  // One process goes on from what several left.
  EXPECT_EQ(spillway(resumed(sweep(experiment, "out"))).exit_code, 0);
  expect_same("out", "one", "run.json");
}

TEST_F(SweepSurvival, ADeadRankEndsTheJobAndResumeGoesOn) {
  for (const std::size_t dead : {0U, 1U}) {
    std::filesystem::remove_all(folder / "out");
    {
      Job job(2, sweep(experiment, "out"));
      ASSERT_TRUE(is_on_its_way(job));
      ASSERT_EQ(::kill(job.ranks().at(dead), SIGKILL), 0);
      EXPECT_NE(job.wait().exit_code, 0);
    }
    EXPECT_FALSE(is_complete());
    Job job(2, resumed(sweep(experiment, "out")));
    const Call call = job.wait();
    EXPECT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.err, HasSubstr(" of 48 points are there already"));
    expect_same("out", "one", "run.json");
  }
}

/// mpirun passes it on after more than a second: the sweep must last longer.
TEST_F(SweepSurvival, CtrlCStopsCleanlyAndSaysHowToGoOn) {
  std::string longer = slow_sweep;
  longer.replace(longer.find("[2, 4]"), 6, "[10, 20]");
  file("slow.yaml", longer);
  std::filesystem::remove_all(folder / "one");
  {
    Job job(2, sweep(experiment, "out"));
    ASSERT_TRUE(is_on_its_way(job));
    ASSERT_EQ(::kill(job.mpirun(), SIGINT), 0);
    const Call call = job.wait();
    EXPECT_NE(call.exit_code, 0);
    EXPECT_THAT(call.err, AllOf(HasSubstr("spillway sweep: interrupted: "),
                                HasSubstr(" of 48 points are kept; to continue: spillway sweep ")));
  }
  EXPECT_FALSE(is_complete());
  Job job(2, resumed(sweep(experiment, "out")));
  EXPECT_EQ(job.wait().exit_code, 0);
  ASSERT_EQ(spillway(sweep(experiment, "one")).exit_code, 0);
  expect_same("out", "one", "run.json");
}

class SearchSurvival : public Launched {
 protected:
  SearchSurvival() { EXPECT_EQ(spillway(words("one")).exit_code, 0); }

  /// Takes most of a second on one core.
  std::vector<std::string> words(const std::string& output) const {
    return explore(output, {"--generations", "60", "--fidelity", "simgrid"});
  }

  bool is_on_its_way(Job& job) const { return wait_for_lines(job, "out", "search.journal", some_lines); }
};

TEST_F(SearchSurvival, ADeadWorkersMappingsGoToTheOthers) {
  Job job(2, words("out"));
  ASSERT_TRUE(is_on_its_way(job));
  ASSERT_EQ(::kill(job.workers().at(0), SIGKILL), 0);
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.err, HasSubstr("has ended: signal 9; its work goes to the others"));
  expect_same("out", "one", "explore.json");
}

TEST_F(SearchSurvival, ADeadRankEndsTheJobAndResumeGoesOn) {
  {
    Job job(2, words("out"));
    ASSERT_TRUE(is_on_its_way(job));
    ASSERT_EQ(::kill(job.ranks().at(1), SIGKILL), 0);
    EXPECT_NE(job.wait().exit_code, 0);
  }
  EXPECT_FALSE(std::filesystem::exists(folder / "out/explore.json"));
  Job job(2, resumed(words("out")));
  const Call call = job.wait();
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.err, HasSubstr("goes on behind generation "));
  expect_same("out", "one", "explore.json");
}

}  // namespace
}  // namespace spillway::launcher_test
