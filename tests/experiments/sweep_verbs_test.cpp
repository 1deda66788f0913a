#include <cmath>
#include <filesystem>
#include <fstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/experiments/cli/program.hpp"
#include "tests/paths/paths.hpp"

/// `spillway sweep` and `spillway reproduce` as users run them.
namespace spillway::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string fig7 = paths::source("experiments/fig7.yaml");

/// fig7 with one text replaced by another.
std::string changed_fig7(const Folder& folder, const std::string& text, const std::string& by) {
  std::string yaml = contents(fig7);
  const std::size_t place = yaml.find(text);
  EXPECT_NE(place, std::string::npos) << text;
  yaml.replace(place, text.size(), by);
  const std::string file = folder / "changed.yaml";
  std::ofstream(file) << yaml;
  return file;
}

TEST(Sweep, WritesResultsAndPrintsOursBesideThePublished) {
  const Folder folder;
  const Call call = spillway({"sweep", "fig7", "--jobs", "2", "--output", folder / "fig7"});
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out,
              AllOf(HasSubstr("85,871"), HasSubstr("85,024"), HasSubstr("known miss"), Not(HasSubstr("MISS"))));
  EXPECT_THAT(call.err, HasSubstr("fig7: 36 of 36 points, 100 %"));
  EXPECT_TRUE(fs::exists(folder / "fig7/run.json"));
}

TEST(Sweep, ResultsAreTheSameBytesForAnyJobsAndOrder) {
  const Folder folder;
  for (const std::string jobs : {"1", "2", "5"})
    ASSERT_EQ(spillway({"sweep", "fig6", "--jobs", jobs, "--output", folder / jobs}).exit_code, 0);
  ASSERT_EQ(spillway({"reproduce", "fig7", "fig6", "--output", folder / "all"}).exit_code, 0);
  for (const std::string name : {"results.csv", "comparison.csv", "config.yaml", "card-swapnn-paper.yaml"}) {
    const std::string once = contents(folder / "1/" + name);
    EXPECT_EQ(contents(folder / "2/" + name), once) << name;
    EXPECT_EQ(contents(folder / "5/" + name), once) << name;
    EXPECT_EQ(contents(folder / "all/fig6/" + name), once) << name;
  }
}

TEST(Sweep, AnUnexpectedMissIsAFailureWithItsResultsKept) {
  const Folder folder;
  const std::string file = changed_fig7(folder, "tolerance: 2 %", "tolerance: 0.1 %");
  const Call call = spillway({"sweep", file, "--output", folder / "out"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.out, HasSubstr("MISS"));
  EXPECT_TRUE(fs::exists(folder / "out/run.json"));
}

TEST(Sweep, AllMistakesAreReportedAndNothingIsRun) {
  const Folder folder;
  const std::string file = changed_fig7(folder, "network: [vgg16, alexnet,", "network: [vgg61, alexnot,");
  const Call call = spillway({"sweep", file, "--jobs", "none", "--output", folder / "out"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, AllOf(HasSubstr("--jobs"), HasSubstr("did you mean \"vgg16\""),
                              HasSubstr("did you mean \"alexnet\""), HasSubstr("changed.yaml:")));
  EXPECT_FALSE(fs::exists(folder / "out"));
}

TEST(Sweep, ADirectoryThatCannotTakeTheResultsIsRefused) {
  const Folder folder;
  std::ofstream(folder / "note") << "mine";
  for (const std::string& output : {folder.path().string(), folder / "note", folder / "note/below"}) {
    const Call call = spillway({"sweep", "fig7", "--output", output});
    EXPECT_EQ(call.exit_code, 2) << output;
    EXPECT_THAT(call.out, IsEmpty());
    EXPECT_EQ(lines(call.err).size(), 1U) << call.err;
  }
  EXPECT_EQ(spillway({"sweep", "fig7", "--force", "--output", folder.path().string()}).exit_code, 0);
}

TEST(Reproduce, DrawsAPageThatIsTheSameEveryTime) {
  const Folder folder;
  const Call call = spillway({"reproduce", "fig7", "--output", folder / "a", "--jobs", "1"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, HasSubstr("page: " + folder / "a/report.html"));
  ASSERT_EQ(spillway({"reproduce", "fig7", "--output", folder / "b", "--jobs", "2"}).exit_code, 0);
  const std::string page = contents(folder / "a/report.html");
  EXPECT_EQ(page, contents(folder / "b/report.html"));
  EXPECT_THAT(page, AllOf(HasSubstr("<svg"), HasSubstr("85,871"), Not(HasSubstr("<script")), Not(HasSubstr("src="))));
}

TEST(Reproduce, WritesTheSameForProgramsAsThePageShows) {
  const Folder folder;
  const Call call = spillway({"reproduce", "fig7", "fig6", "--output", folder / "out"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const nlohmann::json report = nlohmann::json::parse(contents(folder / "out/report.json"));
  const std::string page = contents(folder / "out/report.html");
  EXPECT_EQ(report["schema"], 1);
  ASSERT_EQ(report["experiments"].size(), 2U);
  std::size_t place = 0, rows = 0;
  for (const nlohmann::json& experiment : report["experiments"]) {
    EXPECT_THAT(page, HasSubstr(experiment["command"].get<std::string>()));
    std::size_t hits = 0;
    for (const nlohmann::json& row : experiment["rows"]) {
      ++rows;
      hits += row["verdict"] == "hit" ? 1 : 0;
      place = page.find("<tr data-id=\"" + row["id"].get<std::string>() + "\" data-point=\"" +
                            std::to_string(row["point"].get<int>()) + "\">",
                        place + 1);
      ASSERT_NE(place, std::string::npos) << row["id"];
      const std::string shown = page.substr(place, page.find("</tr>", place) - place);
      EXPECT_THAT(shown, AllOf(HasSubstr(">" + row["verdict"].get<std::string>() + "<"),
                               HasSubstr(row["kind"].get<std::string>() + ", ")));
      EXPECT_TRUE(row["ratio"].is_null() || std::abs(row["ours"].get<double>() / row["published"].get<double>() -
                                                     row["ratio"].get<double>()) < 1e-9)
          << row;
      for (const char* key : {"metric", "at", "parameters", "tolerance", "use", "fitted", "source", "reason", "command",
                              "published_as_stated", "total_of_frames", "published_range", "reference_point"})
        EXPECT_TRUE(row.contains(key)) << key;
    }
    EXPECT_EQ(experiment["verdicts"]["hit"], hits);
  }
  EXPECT_GT(rows, 20U);
  EXPECT_EQ(page.find("<tr data-id", place + 1), std::string::npos) << "a row that report.json lacks";
}

TEST(Reproduce, NamesTheExperimentsItKnows) {
  for (const std::string request : {"reproduce", "reproduce fig66", "reproduce fig6 fig7 nonsense"}) {
    const Call call = spillway(request);
    EXPECT_EQ(call.exit_code, 2) << request;
    EXPECT_THAT(call.out, IsEmpty());
    EXPECT_THAT(call.err, AllOf(HasSubstr("fig6"), HasSubstr("fig7"), HasSubstr("all")));
  }
}

}  // namespace
}  // namespace spillway::cli_test
