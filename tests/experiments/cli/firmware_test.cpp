#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;

const std::string classifier = paths::source("tests/models/data/fmnist_vggmini_int8.onnx");

TEST(Firmware, ReportsAllMistakesAtOnce) {
  const Folder folder;
  const Call call = spillway(
      {"firmware", classifier, "--board", "stm32h743", "--sram", "320 KiB", "--buffer", "1000 B", "--rule", "paper"},
      folder.path());
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, HasSubstr("--board: unknown board with a firmware \"stm32h743\""));
  EXPECT_THAT(call.err, HasSubstr("expected at most 256 KiB"));
  EXPECT_THAT(call.err, HasSubstr("--buffer: 1000 B is no multiple of 512 bytes; the nearest is 1024 B"));
  EXPECT_THAT(call.err, HasSubstr("--rule: unknown rule \"paper\""));
  EXPECT_THAT(call.err, HasSubstr("--output: is missing"));
}

TEST(Firmware, ANetworkThatIsNotQuantisedIsRefused) {
  const Folder folder;
  const Call call = spillway({"firmware", paths::source("tests/models/data/fmnist_vggmini.onnx"), "--buffer", "4 KiB",
                              "--output", folder / "made"},
                             folder.path());
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, HasSubstr("fmnist_vggmini.onnx"));
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
}

TEST(Firmware, ALayerThatFitsNoBufferLeavesNothing) {
  const Folder folder;
  const Call call = spillway(
      {"firmware", classifier, "--sram", "2 KiB", "--buffer", "512 B", "--output", folder / "made"}, folder.path());
  EXPECT_EQ(call.exit_code, 2) << call.out;
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace
}  // namespace spillway::cli_test
