#include <chrono>
#include <csignal>
#include <cstdlib>
#include <fstream>
#include <random>
#include <regex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/journal.hpp"
#include "sim/trace/output_file.hpp"
#include "tests/experiments/cli/program.hpp"
#include "tests/paths/paths.hpp"

/// Sweeps that are killed, interrupted, or run out of disk.
namespace spillway::cli_test {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

constexpr std::size_t all_points = 300;

const std::string sweep_file =
    "name: survivor\n"
    "title: A sweep that is disturbed\n"
    "question: Does it come to the same end?\n"
    "sweep:\n"
    "  network: [mobilenet, alexnet]\n"
    "  board: swapnn-paper\n"
    "  card: swapnn-paper\n"
    "  sram: [96 KiB, 128 KiB, 256 KiB, 512 KiB, 1 MiB]\n"
    "  buffer: [32 KiB, 48 KiB, 64 KiB, 96 KiB, 128 KiB]\n"
    "  mode: [sequential, parallel]\n"
    "  frames: [1, 2, 3]\n";

/// The program on its way.
class Running {
 public:
  Running(const std::vector<std::string>& arguments, std::string err) : err_(std::move(err)) {
    process_ = ::fork();
    if (process_ != 0) return;
    if (std::freopen("/dev/null", "w", stdout) == nullptr || std::freopen(err_.c_str(), "w", stderr) == nullptr) {
      ::_exit(127);
    }
    std::string program = paths::program();
    std::vector<char*> argv = {program.data()};
    for (const std::string& argument : arguments)
      argv.push_back(const_cast<char*>(argument.c_str()));
    argv.push_back(nullptr);
    ::execv(program.c_str(), argv.data());
    ::_exit(127);
  }
  ~Running() { end(SIGKILL); }

  /// Sends a signal and waits; the exit code, 128 + signal where one ended it. 0 as signal: only waits.
  int end(int signal) {
    if (process_ <= 0) return code_;
    if (signal != 0) ::kill(process_, signal);
    int status = 0;
    ::waitpid(process_, &status, 0);
    process_ = 0;
    return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  bool over() {
    int status = 0;
    if (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == process_) {
      process_ = 0;
      code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    }
    return process_ == 0;
  }

  std::string err() const { return contents(err_); }

 private:
  std::string err_;
  ::pid_t process_ = 0;
  int code_ = 0;
};

class Survival : public testing::Test {
 protected:
  Survival() { std::ofstream(file) << sweep_file; }

  std::vector<std::string> command(const std::string& output, bool resume) const {
    std::vector<std::string> words = {"sweep", file, "--jobs", "2", "--output", folder / output};
    if (resume) words.emplace_back("--resume");
    return words;
  }

  std::size_t kept(const std::string& output) const {
    try {
      const auto journal = experiments::read_journal(folder / output + "/points.journal");
      return journal ? journal->finished : 0;
    } catch (const trace::FileError&) {
      return 0;  // it went between looking and opening: the sweep is over
    }
  }

  /// Lets a sweep run until it has kept so many points, or is over.
  void wait_for(Running& sweep, const std::string& output, std::size_t points) const {
    while (kept(output) < points && !sweep.over())
      std::this_thread::sleep_for(std::chrono::microseconds(200));
  }

  /// Everything but run.json is as an undisturbed run leaves it, and nothing more is there.
  void expect_undisturbed(const std::string& output) {
    if (!fs::exists(folder / "undisturbed")) {
      ASSERT_EQ(spillway(command("undisturbed", false)).exit_code, 0);
    }
    std::size_t files = 0;
    for (const auto& entry : fs::directory_iterator(folder / "undisturbed")) {
      const std::string name = entry.path().filename().string();
      ++files;
      if (name != "run.json") {
        EXPECT_EQ(contents(entry.path()), contents(folder / output + "/" + name)) << name;
      }
    }
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / output), {}), static_cast<std::ptrdiff_t>(files));
  }

  Folder folder;
  std::string file = folder / "survivor.yaml";
};

TEST_F(Survival, KilledAtTenRandomMomentsItEndsInTheSameBytes) {
  std::mt19937 random(20261130);
  std::uniform_int_distribution<std::size_t> moment(0, all_points - 50);
  std::uniform_int_distribution<int> more(0, 3000);
  for (int round = 0; round < 10; ++round) {
    const std::string output = "killed-" + std::to_string(round);
    {
      Running sweep(command(output, false), folder / "err");
      wait_for(sweep, output, moment(random));
      std::this_thread::sleep_for(std::chrono::microseconds(more(random)));
      ASSERT_EQ(sweep.end(SIGKILL), 128 + SIGKILL) << "round " << round << ": it was over before";
    }
    const std::size_t before = kept(output);
    EXPECT_FALSE(fs::exists(folder / output + "/run.json"));
    const Call call = spillway(command(output, true));
    ASSERT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.err, HasSubstr("survivor: " + std::to_string(before) + " of 300 points are there already"));
    expect_undisturbed(output);
  }
}

TEST_F(Survival, KilledAgainAndAgainItStillEnds) {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> step(1, 80);
  std::size_t kills = 0;
  for (int code = -1; code != 0;) {
    const std::size_t before = kept("often");
    Running sweep(command("often", true), folder / "err");
    wait_for(sweep, "often", before + step(random));
    code = sweep.end(SIGKILL);
    if (code != 0) {
      ASSERT_EQ(code, 128 + SIGKILL) << sweep.err();
      EXPECT_GE(kept("often"), before) << "a kept point was lost";
      ++kills;
    }
  }
  EXPECT_GE(kills, 2U);
  expect_undisturbed("often");
}

TEST_F(Survival, CtrlCStopsCleanlyAndSaysHowToGoOn) {
  Running sweep(command("stopped", false), folder / "err");
  wait_for(sweep, "stopped", 5);
  EXPECT_EQ(sweep.end(SIGINT), 1);
  const std::string err = sweep.err();
  EXPECT_THAT(
      err, AllOf(HasSubstr("interrupted: "), HasSubstr("of 300 points are kept; to continue: spillway sweep " + file +
                                                       " --output " + folder / "stopped" + " --resume")));
  std::smatch count;
  ASSERT_TRUE(std::regex_search(err, count, std::regex("interrupted: ([0-9]+) of")));
  EXPECT_EQ(kept("stopped"), std::stoul(count[1]));
  EXPECT_EQ(spillway(command("stopped", true)).exit_code, 0);
  expect_undisturbed("stopped");
}

TEST_F(Survival, AnInterruptedSweepIsNeitherLostNorMixedWithAnother) {
  {
    Running sweep(command("begun", false), folder / "err");
    wait_for(sweep, "begun", 5);
    sweep.end(SIGINT);
  }
  const std::size_t before = kept("begun");
  Call call = spillway(command("begun", false));
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("was interrupted after " + std::to_string(before) + " of 300 points"),
                              HasSubstr("--resume"), HasSubstr("--force")));

  std::string other = sweep_file;
  other.replace(other.find("frames: [1, 2, 3]"), 17, "frames: [1, 2, 4]");
  std::ofstream(file) << other;
  call = spillway(command("begun", true));
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("another configuration"), HasSubstr("frames: [1, 2, 3]"),
                              HasSubstr("frames: [1, 2, 4]")));
  EXPECT_EQ(lines(call.err).size(), 1U) << call.err;
  EXPECT_EQ(kept("begun"), before);

  std::ofstream(file) << sweep_file;
  EXPECT_EQ(spillway(command("begun", true)).exit_code, 0);
  call = spillway(command("begun", true));
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, HasSubstr("there is nothing to resume"));
  std::ofstream(file) << other;
  call = spillway(command("begun", true));
  EXPECT_EQ(call.exit_code, 2) << "complete, but of another configuration";
  EXPECT_THAT(call.err, HasSubstr("another configuration"));
  EXPECT_EQ(spillway(command("begun", false)).exit_code, 0) << "a finished one may be replaced";
}

TEST_F(Survival, ForceBeginsAnew) {
  {
    Running sweep(command("forced", false), folder / "err");
    wait_for(sweep, "forced", 5);
    sweep.end(SIGKILL);
  }
  std::vector<std::string> words = command("forced", false);
  words.emplace_back("--force");
  const Call call = spillway(words);
  EXPECT_EQ(call.exit_code, 0) << call.err;
  expect_undisturbed("forced");
}

TEST_F(Survival, AFileSizeLimitIsAClearErrorAndLeavesWhatWasDone) {
  for (const std::string kibibytes : {"1", "8", "24", "40"}) {
    const std::string output = "limited-" + kibibytes;
    const std::string run = "ulimit -f " + kibibytes + "; exec " + paths::program() + " sweep " + file +
                            " --jobs 2 --output " + folder / output + " > /dev/null 2> " + folder / "err";
    const int status = std::system(("bash -c '" + run + "'").c_str());
    const std::string err = contents(folder / "err");
    ASSERT_TRUE(WIFEXITED(status)) << err;
    ASSERT_EQ(WEXITSTATUS(status), 1) << err;
    EXPECT_THAT(err, AllOf(HasSubstr("cannot write"), HasSubstr("File too large"),
                           HasSubstr(std::to_string(kept(output))), HasSubstr("--resume")));
    EXPECT_FALSE(fs::exists(folder / output + "/run.json"));
    ASSERT_EQ(spillway(command(output, true)).exit_code, 0);
    expect_undisturbed(output);
  }
}

/// Lets this process and its children mount without being root: in namespaces of their own, where they are.
void become_root_of_a_namespace() {
  const std::string user = std::to_string(::getuid()), group = std::to_string(::getgid());
  ASSERT_EQ(::unshare(CLONE_NEWUSER | CLONE_NEWNS), 0) << "mounting needs root or user namespaces";
  std::ofstream("/proc/self/setgroups") << "deny";
  std::ofstream("/proc/self/uid_map") << "0 " + user + " 1";
  std::ofstream("/proc/self/gid_map") << "0 " + group + " 1";
}

TEST_F(Survival, AFullDiskIsAClearErrorAndLeavesWhatWasDone) {
  const std::string disk = folder / "disk";
  fs::create_directory(disk);
  if (::geteuid() != 0) {
    ASSERT_NO_FATAL_FAILURE(become_root_of_a_namespace());
  }
  ASSERT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=40k"), 0);
  const Call call = spillway(command("disk/out", false));
  const std::size_t before = kept("disk/out");
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, AllOf(HasSubstr("No space left on device"),
                              HasSubstr(std::to_string(before) + " of 300 points are kept"), HasSubstr("--resume")));
  EXPECT_GT(before, 0U);
  EXPECT_EQ(::mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=8m"), 0);
  EXPECT_EQ(spillway(command("disk/out", true)).exit_code, 0);
  expect_undisturbed("disk/out");
  ::umount(disk.c_str());
}

TEST(Template, RunsAsItStands) {
  const Folder folder;
  const Call call = spillway({"sweep", paths::source("experiments/templates/sweep.yaml"), "--output", folder / "out"});
  EXPECT_EQ(call.exit_code, 0) << call.err << call.out;
  EXPECT_THAT(call.out, AllOf(HasSubstr("my-sweep"), Not(HasSubstr("MISS"))));
  EXPECT_TRUE(fs::exists(folder / "out/run.json"));
}

}  // namespace
}  // namespace spillway::cli_test
