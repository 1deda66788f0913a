#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/hw/stm32/virtual_board.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using testing::HasSubstr;

TEST(FirmwareVerb, MakesWhatRunsOnTheBoard) {
  const Folder folder;
  const Call call = spillway(
      {"firmware", paths::source("tests/models/data/fmnist_vggmini_int8.onnx"), "--sram", "32 KiB", "--buffer", "4 KiB",
       "--input", paths::source("tests/models/data/fmnist_x200.f32"), "--frames", "3", "--output", folder / "made"},
      folder.path());
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, HasSubstr("3 frames"));
  EXPECT_THAT(call.out, HasSubstr("8 of 4096 bytes"));
  for (const char* file : {"network.elf", "network.map", "network.cpp", "card.img", "firmware.json"})
    EXPECT_TRUE(std::filesystem::exists(folder / ("made/" + std::string(file)))) << file;
  const auto run = stm32::tests::run_on_board(folder / "made/network.elf", folder / "made/card.img");
  EXPECT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  EXPECT_EQ(run.trace.value("frames_done"), 3u);

  const Call again = spillway({"firmware", "--benchmark", "in-core", "--output", folder / "made"}, folder.path());
  EXPECT_EQ(again.exit_code, 2);
  EXPECT_THAT(again.err, HasSubstr("--overwrite replaces it"));
}

TEST(FirmwareVerb, MakesTheEnergyBenchmark) {
  for (const char* kind : {"in-core", "out-of-core"}) {
    const Folder folder;
    const Call call =
        spillway({"firmware", "--benchmark", kind, "--iterations", "2", "--output", folder / "made"}, folder.path());
    ASSERT_EQ(call.exit_code, 0) << call.err;
    stm32::tests::make_card(folder / "card");
    const auto run = stm32::tests::run_on_board(folder / ("made/" + std::string(kind) + ".elf"),
                                                std::filesystem::path(folder / "card"));
    EXPECT_EQ(run.status, 0) << run.description();
    EXPECT_EQ(run.trace.value("iterations"), 2u);
  }
}

TEST(FirmwareVerb, SaysWhyANetworkDoesNotFitTheFlash) {
  const Folder folder;
  const Call call =
      spillway({"firmware", "resnet101", "--buffer", "16 KiB", "--output", folder / "made"}, folder.path());
  EXPECT_EQ(call.exit_code, 2) << call.out;
  EXPECT_THAT(call.err, HasSubstr("bytes of flash, but beside the program there are 983040"));
  EXPECT_FALSE(std::filesystem::exists(folder / "made"));
}

}  // namespace
}  // namespace spillway::cli_test
