#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/hil/device_process.hpp"

/// Lockstep with a device that is a process of its own, over a real socket or terminal.
namespace spillway::cli_test {
namespace {

using hil::tests::DeviceProcess;
using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

struct Case {
  std::string network, sram_kib, buffer_kib, frames;

  std::vector<std::string> device(const std::vector<std::string>& fault = {}) const {
    std::vector<std::string> words = {network, sram_kib, buffer_kib, frames};
    words.insert(words.end(), fault.begin(), fault.end());
    return words;
  }
  std::vector<std::string> host(const std::string& verb, const std::vector<std::string>& more = {}) const {
    std::vector<std::string> words = {
        verb,       network, "--rule", "halo", "--sram", sram_kib + " KiB", "--buffer", buffer_kib + " KiB",
        "--frames", frames};
    words.insert(words.end(), more.begin(), more.end());
    return words;
  }
};

const Case usual{"tiny-residual", "32", "2", "2"};

Call lockstep(const Case& host, const DeviceProcess& device, std::vector<std::string> more = {}) {
  more.insert(more.end(), {"--port", device.port()});
  return spillway(host.host("hil", more));
}

TEST(Hil, ADeviceDecidesAsTheSimulatorDoes) {
  for (const char* const network : {"tiny-residual", "tiny-depthwise", "mobilenet"}) {
    for (const char* const buffer : {"4", "8", "16"}) {
      const Case each{network, "128", buffer, "1"};
      const Folder folder;
      const DeviceProcess device(each.device());
      const Call call = lockstep(each, device, {"--trace-csv", folder / "lockstep.csv"});
      ASSERT_EQ(call.exit_code, 0) << call.command << call.err;
      ASSERT_EQ(spillway(each.host("swap", {"--trace-csv", folder / "swap.csv"})).exit_code, 0);
      EXPECT_EQ(contents(folder / "lockstep.csv"), contents(folder / "swap.csv")) << call.command;
    }
  }
}

TEST(Hil, OverATerminalAsOverASocket) {
  const DeviceProcess device(usual.device(), true);
  const Call call = lockstep(usual, device);
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, HasSubstr("0 of them again; 0 damaged frames"));
}

TEST(Hil, AnotherPlanStopsAtTheFirstDifferenceWithBothDecisions) {
  const Case other{"tiny-residual", "16", "1", "2"};
  const DeviceProcess device(other.device());
  const Call call = lockstep(usual, device);
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, ContainsRegex("the device decides differently at step [0-9]+\n$"));
  EXPECT_THAT(call.out, AllOf(HasSubstr("another plan"), ContainsRegex("difference +at step [0-9]+, [0-9,]+ ns"),
                              ContainsRegex("  host +IO: "), ContainsRegex("  device +IO: ")));
}

TEST(Hil, AnotherPlanThatDecidesTheSameIsNoSuccess) {
  // More SRAM than the plan uses decides alike, but is not what was asked for.
  const Case large{"tiny-residual", "256", "16", "1"}, larger{"tiny-residual", "320", "16", "1"};
  const DeviceProcess device(larger.device());
  const Call call = lockstep(large, device);
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.out, AllOf(HasSubstr("another plan"), Not(HasSubstr("difference"))));
  EXPECT_THAT(call.err, HasSubstr("the device has another plan, which decides the same"));
}

TEST(Hil, DamagedFramesAreAskedForAgain) {
  for (const char* const fault : {"corrupt", "deaf", "babble"}) {
    const DeviceProcess device(usual.device({fault, "7"}));
    const Call call = lockstep(usual, device, {"--deadline", "40 ms"});
    EXPECT_EQ(call.exit_code, 0) << fault << ": " << call.err;
    if (fault == std::string("babble"))
      EXPECT_THAT(call.out, Not(HasSubstr(" 0 damaged frames")));
    else
      EXPECT_THAT(call.out, ContainsRegex("[1-9][0-9]* of them again")) << fault;
  }
}

TEST(Hil, ASilentDeviceIsGivenUp) {
  const DeviceProcess device(usual.device({"silent", "5"}));
  const Call call = lockstep(usual, device, {"--deadline", "40 ms", "--repeats", "2"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, HasSubstr("no answer to step 4 within 40 ms, asked 3 times"));
}

TEST(Hil, ADeviceThatBeginsAgainIsNoticed) {
  const DeviceProcess device(usual.device({"restart", "6"}));
  const Call call = lockstep(usual, device, {"--deadline", "40 ms"});
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, HasSubstr("the device refuses: it was not greeted: it has begun again"));
}

TEST(Hil, ALineThatClosesIsNoticed) {
  const DeviceProcess device(usual.device({"hang-up", "6"}));
  const Call call = lockstep(usual, device);
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, HasSubstr("the other end has closed the line"));
}

TEST(Hil, APortThatIsNotThere) {
  const Folder folder;
  const Call call = spillway(usual.host("hil", {"--port", "unix:" + (folder / "none"), "--deadline", "10 ms"}));
  EXPECT_EQ(call.exit_code, 1);
  EXPECT_THAT(call.err, HasSubstr("No such file or directory"));
  EXPECT_EQ(spillway(usual.host("hil", {"--port", folder / "tty"})).exit_code, 1);
}

TEST(Hil, RefusesAllMistakesAtOnce) {
  const Call call =
      spillway({"hil", "tiny-residul", "--port", "unix:", "--baud", "9", "--deadline", "3", "--buffer", "4"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, AllOf(HasSubstr("did you mean \"tiny-residual\""), HasSubstr("--port: \"unix:\" has no path"),
                              HasSubstr("--baud: \"9\""), HasSubstr("--deadline:"), HasSubstr("--buffer:")));
}

TEST(Hil, RefusesFilesAsPorts) {
  const Folder folder;
  std::ofstream(folder / "file") << "x";
  for (const std::string& port : {"unix:" + (folder / "file"), folder / "file", "unix:" + folder.path().string()}) {
    const Call call = spillway(usual.host("hil", {"--port", port}));
    EXPECT_EQ(call.exit_code, 2) << port;
    EXPECT_THAT(call.err, ContainsRegex("--port: \".*\" is no (socket|serial device); expected one")) << port;
  }
}

TEST(Hil, RefusesAPortOfAnotherKind) {
  const Call call = spillway({"hil", "tiny-residual", "--port", "tcp:1", "--buffer", "4 KiB"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_EQ(
      call.err,
      "spillway hil: --port: \"tcp:1\" is no port; expected unix:PATH or the path of a serial device, /dev/ttyACM0 "
      "say\n");
}

}  // namespace
}  // namespace spillway::cli_test
