#include "experiments/results.hpp"

#include <chrono>
#include <csignal>
#include <fstream>
#include <iterator>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/csv.hpp"
#include "sim/trace/output_file.hpp"
#include "tests/experiments/experiment_text.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

std::string content(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// A small experiment with its results, and a fresh place to write them.
class Results : public testing::Test {
 protected:
  Results() {
    std::string pattern = (fs::temp_directory_path() / "spillway-results-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
  }
  ~Results() override { fs::remove_all(folder); }

  void write(const fs::path& path, bool force = false) const {
    ResultsDirectory(path, experiment, force)
        .write(experiment, results, comparisons, {"spillway sweep", "0.0", 1.5, 2});
  }

  std::string refusal(const fs::path& path) const {
    try {
      const ResultsDirectory directory(path, experiment, false);
    } catch (const platforms::InputError& error) {
      return error.what();
    }
    return "";
  }

  fs::path folder;
  Experiment experiment = parse_experiment(
      small_experiment("published:\n"
                       "  - {id: a, metric: io_s, kind: given, source: \"it says, so\", where: {sram: 512 KiB}, "
                       "value: 10 s, tolerance: 1 %, expect: miss, reason: because}\n"),
      "e.yaml");
  std::vector<PointResult> results = run_points(experiment.points, {2, {}});
  std::vector<Comparison> comparisons = compare(experiment, results);
};

TEST_F(Results, AreWrittenWithWhatMadeThem) {
  write(folder / "small");
  EXPECT_EQ(content(folder / "small/results.csv"), results_csv(experiment, results));
  EXPECT_EQ(content(folder / "small/comparison.csv"), comparison_csv(comparisons));
  EXPECT_THAT(content(folder / "small/board-swapnn-paper.yaml"), HasSubstr("source:"));
  const nlohmann::json run = nlohmann::json::parse(content(folder / "small/run.json"));
  EXPECT_EQ(run["points"]["all"], 8);
  EXPECT_EQ(run["points"]["infeasible"], 2);
  EXPECT_EQ(run["wall_s"], 1.5);
  EXPECT_EQ(run["schema"], results_schema);
}

TEST_F(Results, OnlyTheRecordDiffersBetweenRuns) {
  write(folder / "a");
  write(folder / "b");
  for (const auto& entry : fs::directory_iterator(folder / "a")) {
    const fs::path name = entry.path().filename();
    if (name != "run.json") {
      EXPECT_EQ(content(entry.path()), content(folder / "b" / name)) << name;
    }
  }
}

TEST_F(Results, EveryLineHasAllColumns) {
  std::istringstream lines(results_csv(experiment, results));
  std::string heading, line;
  std::getline(lines, heading);
  EXPECT_THAT(heading,
              testing::StartsWith("point,network,board,card,rule,element,sram_bytes,buffer_bytes,mode,frames,"));
  EXPECT_THAT(heading, HasSubstr(",status,reason,latency_s,makespan_s,throughput_fps,"));
  std::size_t count = 0;
  for (; std::getline(lines, line); ++count) {
    if (line.find('"') == std::string::npos) {
      EXPECT_EQ(std::ranges::count(line, ','), std::ranges::count(heading, ',')) << line;
    }
  }
  EXPECT_EQ(count, experiment.points.size());
}

TEST_F(Results, OfTheSamePointsAreNotCompleteWhenMoreIsAskedOfThem) {
  write(folder / "small");
  const ResultsDirectory directory(folder / "small", experiment, false);
  std::size_t failures = 0;
  EXPECT_TRUE(directory.is_complete(experiment, "0.0", failures));
  experiment.tables.push_back(Table::layers);
  EXPECT_FALSE(directory.is_complete(experiment, "0.0", failures));
}

TEST_F(Results, MayReplaceResultsOfTheSameExperimentOnly) {
  write(folder / "small");
  EXPECT_EQ(refusal(folder / "small"), "");
  experiment.name = "other";
  EXPECT_THAT(refusal(folder / "small"), HasSubstr("holds no results of experiment other"));
  EXPECT_NO_THROW(write(folder / "small", true));
}

TEST_F(Results, AForeignOrUnusableDirectoryIsRefusedBeforeAnyWork) {
  std::ofstream(folder / "note.txt") << "mine";
  EXPECT_THAT(refusal(folder), HasSubstr("not empty"));
  EXPECT_THAT(refusal(folder / "note.txt"), HasSubstr("is no directory"));
  EXPECT_THAT(refusal(folder / "note.txt/below"), HasSubstr("cannot be made"));
  EXPECT_EQ(content(folder / "note.txt"), "mine");
}

TEST_F(Results, AFailingWriteLeavesNoRecordAndNothingHalfWritten) {
  write(folder / "small");
  fs::remove(folder / "small/results.csv");
  fs::create_directory(folder / "small/results.csv");
  EXPECT_THROW(write(folder / "small"), trace::FileError);
  EXPECT_FALSE(fs::exists(folder / "small/run.json"));
  for (const auto& entry : fs::directory_iterator(folder / "small"))
    EXPECT_EQ(entry.path().string().find(".partial-"), std::string::npos) << entry.path();
}

TEST_F(Results, AKilledWriterLeavesWholeFilesAndARecordOnlyWhenAllAreThere) {
  const fs::path path = folder / "small";
  for (int round = 0; round < 20; ++round) {
    const ::pid_t writer = ::fork();
    ASSERT_GE(writer, 0);
    if (writer == 0) {
      for (;;)
        write(path);
    }
    std::this_thread::sleep_for(std::chrono::microseconds(3000 + 517 * round));
    ::kill(writer, SIGKILL);
    ::waitpid(writer, nullptr, 0);
    for (const auto& [name, expected] : {std::pair("results.csv", results_csv(experiment, results)),
                                         std::pair("comparison.csv", comparison_csv(comparisons)),
                                         std::pair("config.yaml", config_yaml(experiment))}) {
      if (fs::exists(path / name) || fs::exists(path / "run.json")) {
        EXPECT_EQ(content(path / name), expected);
      }
    }
    EXPECT_EQ(refusal(path), "") << "what a killed run leaves must not stand in the way of the next";
  }
  write(path);
  for (const auto& entry : fs::directory_iterator(path))
    EXPECT_EQ(entry.path().string().find(".partial-"), std::string::npos) << entry.path();
}

TEST(Readme, NamesEveryColumnAndParameter) {
  const std::string readme =
      content(paths::source("experiments/README.md")) + content(paths::source("experiments/results.md"));
  for (const Metric& metric : metrics())
    EXPECT_THAT(readme, HasSubstr(std::string(metric.name)));
  for (const ParameterInfo& parameter : parameters())
    EXPECT_THAT(readme, HasSubstr(std::string(parameter.column)));
  for (const std::string column : {"published_per_frame", "reference_point", "total_of_frames", "published_low"})
    EXPECT_THAT(readme, HasSubstr(column));
}

TEST(Csv, QuotesWhatNeedsIt) {
  const std::vector<std::string> fields = {"plain", "a,b", "say \"x\"", "two\nlines", ""};
  EXPECT_EQ(csv_line(fields), "plain,\"a,b\",\"say \"\"x\"\"\",\"two\nlines\",\n");
}

TEST(Text, FiguresAreTheShortestThatReadBackExactly) {
  EXPECT_EQ(to_text(0.1), "0.1");
  EXPECT_EQ(to_text(std::uint64_t{18446744073709551615U}), "18446744073709551615");
  EXPECT_EQ(to_text(1.0 / 3), "0.3333333333333333");
}

}  // namespace
}  // namespace spillway::experiments
