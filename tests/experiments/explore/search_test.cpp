#include "experiments/explore/search.hpp"

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "experiments/explore/files.hpp"
#include "models/zoo.hpp"
#include "platforms/cluster.hpp"
#include "platforms/problems.hpp"

namespace spillway::explore {
namespace {

namespace fs = std::filesystem;

class SearchTest : public testing::Test {
 protected:
  SearchTest() { fs::create_directories(folder_); }
  ~SearchTest() override { fs::remove_all(folder_); }

  SearchOptions small() const {
    SearchOptions options;
    options.individuals = 20;
    options.generations = 15;
    return options;
  }

  std::vector<Evaluated> run(const SearchOptions& options) {
    Search search(space_, std::ref(evaluator_), options, seeds_);
    while (search.step()) {
    }
    return search.archive();
  }

  static std::vector<std::string> lines(const Space& space, const std::vector<Evaluated>& archive) {
    std::vector<std::string> lines;
    for (const Evaluated& each : archive)
      lines.push_back(space.describe(each.mapping) + " " + std::to_string(each.worth.throughput_per_s) + " " +
                      std::to_string(each.generation));
    return lines;
  }

  const models::Network network_ = *models::zoo("squeezenet");
  const pipeline::ClusterModel cluster_{platforms::load_cluster("jetson-xavier-nx8")};
  const Space space_{network_, cluster_, {}};
  const platforms::Efficiencies efficiencies_ = platforms::load_efficiencies();
  Evaluator evaluator_{space_, efficiencies_, {}};
  const std::vector<Mapping> seeds_ = seed_mappings(space_, evaluator_);
  const fs::path folder_ = fs::temp_directory_path() / ("spillway_search_" + std::to_string(::getpid()));
};

TEST_F(SearchTest, TheSameSeedGivesTheSameArchiveWithAnyNumberOfJobs) {
  SearchOptions options = small();
  const std::vector<Evaluated> once = run(options);
  EXPECT_EQ(lines(space_, run(options)), lines(space_, once));
  options.jobs = 3;
  EXPECT_EQ(lines(space_, run(options)), lines(space_, once));
  options.seed = 2;
  EXPECT_NE(lines(space_, run(options)), lines(space_, once));
}

TEST_F(SearchTest, NeverLosesVolume) {
  Search search(space_, std::ref(evaluator_), small(), seeds_);
  double last = 0;
  while (search.step()) {
    EXPECT_GE(search.volume(), last);
    last = search.volume();
  }
  EXPECT_GT(last, 0);
}

TEST_F(SearchTest, BeginsWithEachResourceAloneAndBalancedCuts) {
  std::vector<std::string> descriptions;
  for (const Mapping& seed : seeds_)
    descriptions.push_back(space_.describe(seed));
  const std::string last = std::to_string(space_.layers().size() - 1);
  EXPECT_THAT(descriptions,
              testing::IsSupersetOf({"nx01_gpu 0-" + last, "nx01_arm:0,1,2,3,4,5 0-" + last, "nx01_arm:0 0-" + last}));
  EXPECT_GT(seeds_.size(), 15u);
}

TEST_F(SearchTest, LimitsAreKept) {
  SearchOptions options = small();
  options.most_memory_bytes = 100e6;
  Search search(space_, std::ref(evaluator_), options, seeds_);
  while (search.step()) {
  }
  ASSERT_FALSE(search.front().empty());
  for (const std::size_t member : search.front())
    EXPECT_LE(search.archive()[member].worth.memory_bytes, 100e6);
}

TEST_F(SearchTest, GoesOnAsIfItHadNotBeenKilled) {
  const SearchOptions options = small();
  const std::vector<Evaluated> whole = run(options);
  for (const std::size_t killed_after : {1U, 6U, 12U}) {
    {
      SearchDirectory directory(folder_, "this search", true);
      directory.begin(std::nullopt);
      Search search(space_, std::ref(evaluator_), options, seeds_);
      std::vector<double> volumes;
      for (std::size_t step = 0; step < killed_after; ++step) {
        search.step();
        volumes.push_back(search.volume());
        directory.save(search, volumes);
      }
    }
    // What was being written when it was killed.
    std::ofstream(folder_ / "search.journal", std::ios::app) << R"({"generation":)";
    SearchDirectory directory(folder_, "this search", false);
    const auto earlier = directory.unfinished(space_);
    ASSERT_TRUE(earlier);
    EXPECT_EQ(earlier->volumes.size(), killed_after);
    Search search(space_, std::ref(evaluator_), options, seeds_);
    search.resume(earlier->state, earlier->archive);
    while (search.step()) {
    }
    EXPECT_EQ(lines(space_, search.archive()), lines(space_, whole)) << "killed after " << killed_after;
  }
}

TEST_F(SearchTest, AnotherSearchDoesNotGoOnFromIt) {
  SearchDirectory(folder_, "one", true).begin(std::nullopt);
  SearchDirectory directory(folder_, "one", true);
  Search search(space_, std::ref(evaluator_), small(), seeds_);
  search.step();
  directory.begin(std::nullopt);
  directory.save(search, {1.0});
  EXPECT_TRUE(SearchDirectory(folder_, "one", false).unfinished(space_));
  EXPECT_THROW(static_cast<void>(SearchDirectory(folder_, "another", true).unfinished(space_)), platforms::InputError);
}

TEST(Front, HasWhatNothingDominatesOnce) {
  const std::vector<std::vector<double>> costs = {{1, 5}, {2, 4}, {2, 6}, {1, 5}, {5, 1}, {3, 4}};
  EXPECT_THAT(non_dominated(costs), testing::ElementsAre(0, 1, 4));
}

TEST(Front, VolumeIsThatOfTheDominatedBox) {
  EXPECT_DOUBLE_EQ(hypervolume({{1, 1}}, {3, 4}), 6);
  EXPECT_DOUBLE_EQ(hypervolume({{1, 2}, {2, 1}}, {3, 3}), 3);
  // What does not reach the reference counts nothing.
  EXPECT_DOUBLE_EQ(hypervolume({{1, 1}, {0, 5}}, {3, 4}), 6);
  EXPECT_DOUBLE_EQ(hypervolume({{4, 4}}, {3, 4}), 0);
}

}  // namespace
}  // namespace spillway::explore
