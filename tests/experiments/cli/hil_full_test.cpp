#include <chrono>
#include <cstdlib>
#include <future>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>

#include "hw/stm32/errors.hpp"
#include "tests/paths/paths.hpp"

/// Lockstep with the firmware on the virtual board, over the serial port.
namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

struct Case {
  std::string network, sram, buffer, frames = "1", rule = "halo", window = "1";

  std::vector<std::string> words(const std::string& verb, const std::vector<std::string>& more) const {
    std::vector<std::string> words = {verb,       network, "--rule",   rule,   "--sram",   sram,
                                      "--buffer", buffer,  "--frames", frames, "--window", window};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

/// The firmware of a case, running.
class Board {
 public:
  explicit Board(const Case& made) {
    const Call call = spillway(made.words("firmware", {"--output", folder_ / "made"}), folder_.path());
    EXPECT_EQ(call.exit_code, 0) << call.err;
    const std::string command = "'" + paths::source("scripts/emulate") + "' '" + (folder_ / "made/lockstep.elf") +
                                "' --time 100 --serial '" + socket() + "'";
    running_ = std::async(std::launch::async, [command] { return std::system(command.c_str()); });
  }

  Call lockstep(const Case& host, std::vector<std::string> more = {}) const {
    more.insert(more.end(), {"--port", "unix:" + socket(), "--deadline", "10 s"});
    return spillway(host.words("hil", more));
  }

  /// The firmware's own code, once it has ended.
  int status() {
    const int status = running_.get();
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  }

 private:
  std::string socket() const { return folder_ / "port"; }

  Folder folder_;
  std::future<int> running_;
};

void expect_same_decisions(const Case& each) {
  const Folder folder;
  Board board(each);
  const Call call = board.lockstep(each, {"--trace-csv", folder / "lockstep.csv"});
  EXPECT_EQ(call.exit_code, 0) << call.command << call.err << call.out;
  EXPECT_EQ(board.status(), 0);
  EXPECT_THAT(call.out, AllOf(HasSubstr(", 0 of them again; 0 damaged frames"), HasSubstr("cycles of the device")));
  ASSERT_EQ(spillway(each.words("swap", {"--trace-csv", folder / "swap.csv"})).exit_code, 0);
  EXPECT_EQ(contents(folder / "lockstep.csv"), contents(folder / "swap.csv")) << call.command;
}

TEST(HilOnTheBoard, TheFirmwareDecidesAsTheSimulatorDoes) {
  const std::string classifier = paths::source("tests/models/data/fmnist_vggmini_int8.onnx");
  for (const std::string& network : {classifier, std::string("tiny-residual"), std::string("mobilenet")}) {
    for (const char* const buffer : {"4 KiB", "8 KiB", "16 KiB"})
      expect_same_decisions({network, "128 KiB", buffer});
  }
}

TEST(HilOnTheBoard, AlsoWithSeveralFramesInFlightAndTheOtherRule) {
  expect_same_decisions({"tiny-residual", "64 KiB", "4 KiB", "3", "halo", "2"});
  expect_same_decisions({"tiny-depthwise", "64 KiB", "4 KiB", "2", "min-traffic"});
}

TEST(HilOnTheBoard, AFirmwareOfAnotherPlanStopsAtTheFirstDifference) {
  Board board({"tiny-residual", "64 KiB", "2 KiB"});
  const Call call = board.lockstep({"tiny-residual", "64 KiB", "4 KiB"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, ContainsRegex("the device decides differently at step [0-9]+\n$"));
  EXPECT_THAT(call.out, AllOf(HasSubstr("another plan"), ContainsRegex("difference +at step [0-9]+, [0-9,]+ ns"),
                              ContainsRegex("  host +IO: "), ContainsRegex("  device +IO: ")));
  EXPECT_EQ(board.status(), static_cast<int>(stm32::Error::lockstep_parted));
}

}  // namespace
}  // namespace spillway::cli_test
