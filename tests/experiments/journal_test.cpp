#include "experiments/journal.hpp"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include "experiments/metrics.hpp"
#include "experiments/results.hpp"
#include "sim/trace/output_file.hpp"
#include "tests/experiments/experiment_text.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class JournalFile : public testing::Test {
 protected:
  JournalFile() {
    std::string pattern = (fs::temp_directory_path() / "spillway-journal-XXXXXX").string();
    folder = ::mkdtemp(pattern.data());
    file = folder / "points.journal";
  }
  ~JournalFile() override { fs::remove_all(folder); }

  std::string content() const {
    std::ifstream stream(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
  }
  void replace(const std::string& text) const { std::ofstream(file, std::ios::binary) << text; }

  /// A journal with every point of the small experiment.
  void write_all() const {
    Journal journal(file, header);
    for (std::size_t i = 0; i < results.size(); ++i)
      journal.append(i, results[i]);
  }

  fs::path folder, file;
  Experiment experiment = parse_experiment(small_experiment(), "e.yaml");
  std::vector<PointResult> results = run_points(experiment.points, {2});
  JournalHeader header{"small", "0.1.0", "a\tb\\c\nd", results.size()};
};

TEST_F(JournalFile, GivesBackWhatWasAppended) {
  results[3] = {PointStatus::failed, "a reason\twith \\ and\nlines, \xff", {}};
  results[4].metrics.front().emplace(std::numeric_limits<double>::infinity());
  results[4].metrics.back().emplace(std::string("tab\t"));
  write_all();
  const auto read = read_journal(file);
  ASSERT_TRUE(read);
  EXPECT_EQ(read->header, header);
  EXPECT_EQ(read->finished, results.size());
  EXPECT_EQ(read->sound_bytes, fs::file_size(file));
  for (std::size_t i = 0; i < results.size(); ++i) {
    ASSERT_TRUE(read->results[i]);
    EXPECT_EQ(read->results[i]->status, results[i].status);
    EXPECT_EQ(read->results[i]->reason, results[i].reason);
    EXPECT_EQ(read->results[i]->metrics, results[i].metrics);
  }
}

TEST_F(JournalFile, CutAnywhereKeepsTheLinesBeforeAndGoesOnBehindThem) {
  write_all();
  const std::string whole = content();
  const std::size_t first_line = whole.find('\n') + 1;
  std::size_t lines = 0;
  for (std::size_t length = 0; length <= whole.size(); length += 7) {
    replace(whole.substr(0, length));
    const auto read = read_journal(file);
    if (length < first_line) {
      EXPECT_FALSE(read) << length;
      continue;
    }
    lines =
        static_cast<std::size_t>(std::count(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(length), '\n'));
    ASSERT_EQ(read->finished, lines - 1) << length;
    {
      Journal journal(file, *read);
      for (std::size_t i = 0; i < results.size(); ++i) {
        if (!read->results[i]) journal.append(i, results[i]);
      }
    }
    EXPECT_EQ(content(), whole) << length;
  }
}

TEST_F(JournalFile, AnyDamagedByteCostsItsOwnLineOnly) {
  write_all();
  const std::string whole = content();
  const std::size_t first_line = whole.find('\n') + 1;
  for (std::size_t place = first_line; place < whole.size(); place += 3) {
    if (whole[place] == '\n') continue;
    std::string damaged = whole;
    damaged[place] = static_cast<char>(damaged[place] ^ 1);
    replace(damaged);
    EXPECT_GE(read_journal(file)->finished + 1, results.size()) << place;
    EXPECT_LT(read_journal(file)->finished, results.size()) << place;
  }
}

TEST_F(JournalFile, IsNotMistakenForAnotherFile) {
  EXPECT_FALSE(read_journal(file)) << "no file";
  for (const std::string text : {"", "\n", "not a journal\n", "0000000000000000\tspillway-journal-1\n"}) {
    replace(text);
    EXPECT_FALSE(read_journal(file)) << text;
  }
}

TEST_F(JournalFile, AFullDiskIsAnErrorAndKeepsWhatWasAppended) {
  ::rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  std::size_t kept = 0;
  std::string message;
  {
    Journal journal(file, header);
    const ::rlimit small{fs::file_size(file) + 1000, before.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    try {
      for (; kept < results.size(); ++kept)
        journal.append(kept, results[kept]);
    } catch (const trace::FileError& error) {
      message = error.what();
    }
    ::setrlimit(RLIMIT_FSIZE, &before);
    std::signal(SIGXFSZ, handler);
  }
  EXPECT_THAT(message, HasSubstr(file.string()));
  EXPECT_LT(kept, results.size());
  EXPECT_EQ(read_journal(file)->finished, kept);
}

TEST_F(JournalFile, ASweepRunsExactlyWhatIsMissing) {
  std::vector<std::optional<PointResult>> known(results.size());
  known[1] = results[1];
  known[6] = results[6];
  std::set<std::size_t> run;
  RunOptions options{3};
  options.known = known;
  options.keep = [&](std::size_t point, const PointResult&) { run.insert(point); };
  EXPECT_EQ(results_csv(experiment, run_points(experiment.points, options)), results_csv(experiment, results));
  EXPECT_THAT(run, testing::ElementsAre(0, 2, 3, 4, 5, 7));
}

TEST_F(JournalFile, AnErrorInKeepingEndsTheSweepAndComesOut) {
  for (const unsigned jobs : {1U, 4U}) {
    std::size_t kept = 0;
    RunOptions options{jobs};
    options.keep = [&](std::size_t, const PointResult&) {
      if (kept == 3) throw trace::FileError(file, "no space");
      ++kept;
    };
    EXPECT_THROW(run_points(experiment.points, options), trace::FileError);
    EXPECT_EQ(kept, 3U);
  }
}

TEST_F(JournalFile, AStopKeepsWhatIsFinished) {
  std::size_t kept = 0;
  RunOptions options;
  options.keep = [&](std::size_t, const PointResult&) { ++kept; };
  options.stop = [&] { return kept == 5; };
  try {
    run_points(experiment.points, options);
    FAIL() << "not stopped";
  } catch (const Stopped& stopped) {
    EXPECT_EQ(stopped.finished, 5U);
    EXPECT_EQ(stopped.all, results.size());
  }
}

TEST_F(JournalFile, AnExceptionMakesItsPointFailedAndTheOthersGoOn) {
  std::mutex mutex;
  std::size_t calls = 0;
  const auto run = [&](const Point& point) -> PointResult {
    const std::scoped_lock lock(mutex);
    ++calls;
    if (point == experiment.points[2]) throw std::runtime_error("out of luck");
    return {PointStatus::infeasible, "not asked", {}};
  };
  const std::vector<PointResult> outcome = run_points(experiment.points, {2}, run);
  EXPECT_EQ(calls, results.size());
  EXPECT_EQ(outcome[2].status, PointStatus::failed);
  EXPECT_EQ(outcome[2].reason, "out of luck");
  EXPECT_EQ(std::ranges::count(outcome, PointStatus::failed, &PointResult::status), 1);
}

}  // namespace
}  // namespace spillway::experiments
