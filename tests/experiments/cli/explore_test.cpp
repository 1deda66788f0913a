#include <filesystem>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::cli_test {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class Explore : public ::testing::Test {
 protected:
  Call explore(std::vector<std::string> more, const std::string& individuals = "20",
               const std::string& generations = "10") {
    std::vector<std::string> call = {"explore",       "squeezenet", "--platform",    "jetson-xavier-nx8",
                                     "--individuals", individuals,  "--generations", generations};
    call.insert(call.end(), more.begin(), more.end());
    return spillway(call, folder.path());
  }

  const Folder folder;
};

TEST_F(Explore, LeavesAFrontThatPipelineAndSplitTake) {
  const Call call = explore({"--output", "out"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("on SimGrid"), HasSubstr("members of the front, hypervolume ")));
  for (const char* file : {"front.csv", "archive.csv", "hypervolume.csv", "explore.json", "mappings/front-001.json"})
    EXPECT_TRUE(fs::exists(folder / ("out/" + std::string(file)))) << file;
  EXPECT_FALSE(fs::exists(folder / "out/search.journal"));
  EXPECT_EQ(lines(contents(folder / "out/hypervolume.csv")).size(), 12u);

  const Call pipeline = spillway(
      {"pipeline", "squeezenet", "--platform", "jetson-xavier-nx8", "--mapping", "out/mappings/front-001.json"},
      folder.path());
  ASSERT_EQ(pipeline.exit_code, 0) << pipeline.err;
  const Call split = spillway({"split", "squeezenet", "--platform", "jetson-xavier-nx8", "--mapping",
                               "out/mappings/front-001.json", "--output", "split"},
                              folder.path());
  EXPECT_EQ(split.exit_code, 0) << split.err;
}

TEST_F(Explore, TheSameSeedGivesTheSameFilesWithAnyNumberOfJobs) {
  ASSERT_EQ(explore({"--output", "one", "--jobs", "1"}).exit_code, 0);
  ASSERT_EQ(explore({"--output", "two", "--jobs", "2"}).exit_code, 0);
  for (const char* file : {"front.csv", "archive.csv", "hypervolume.csv"})
    EXPECT_EQ(contents(folder / ("one/" + std::string(file))), contents(folder / ("two/" + std::string(file)))) << file;
}

TEST_F(Explore, SimGridCanJudgeEveryMapping) {
  const Call call = explore({"--output", "out", "--fidelity", "simgrid"}, "20", "2");
  ASSERT_EQ(call.exit_code, 0) << call.err;
  // What judged the front and what simulated it again are the same.
  const std::vector<std::string> front = lines(contents(folder / "out/front.csv"));
  ASSERT_GT(front.size(), 1u);
  std::vector<std::string> cells;
  for (std::size_t begin = 0; cells.size() < 6; begin = front[1].find(',', begin) + 1)
    cells.push_back(front[1].substr(begin, front[1].find(',', begin) - begin));
  EXPECT_EQ(cells[1], cells[5]);
}

TEST_F(Explore, AnotherFinishedSearchIsNotReplacedUnasked) {
  ASSERT_EQ(explore({"--output", "out"}).exit_code, 0);
  const std::string front = contents(folder / "out/front.csv");
  const Call other = explore({"--output", "out", "--seed", "2"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("holds a search of another network, cluster, options or seed"));
  EXPECT_EQ(contents(folder / "out/front.csv"), front);
  EXPECT_EQ(explore({"--output", "out", "--seed", "2", "--force"}).exit_code, 0);
}

TEST_F(Explore, RefusesWhatCannotBeAskedFor) {
  const Call call = explore(
      {"--objectives", "throughput,enrgy", "--devices", "9", "--max-memory", "3 W", "--resources", "gpus"}, "21");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(
      call.err,
      AllOf(HasSubstr("--objectives: unknown objective \"enrgy\"; did you mean \"energy\"? expected one of "
                      "throughput, energy, memory, latency"),
            HasSubstr("--individuals: 21 is no multiple of 4; the nearest is 20"), HasSubstr("--devices: "),
            HasSubstr("--max-memory: "), HasSubstr("--resources: unknown resource \"gpus\"; did you mean \"gpu\"?"),
            HasSubstr("--output: is missing; expected the folder for the results")));
}

}  // namespace
}  // namespace spillway::cli_test
