#include <filesystem>
#include <fstream>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

const std::vector<std::string> verbs = {"list",     "inspect", "swap", "sweep",   "reproduce", "split",  "run-local",
                                        "pipeline", "explore", "hil",  "compare", "calibrate", "measure"};

TEST(Contract, HelpGoesToStdoutOnlyAndIsNoFailure) {
  const Call call = spillway("--help");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.err, IsEmpty());
  for (const std::string& verb : verbs)
    EXPECT_THAT(call.out, HasSubstr("\n  " + verb + " "));
}

TEST(Contract, EveryVerbExplainsItself) {
  for (const std::string& verb : verbs) {
    const Call call = spillway({verb, "--help"});
    EXPECT_EQ(call.exit_code, 0) << verb;
    EXPECT_THAT(call.out, HasSubstr("Usage: spillway " + verb));
    EXPECT_THAT(call.err, IsEmpty()) << verb;
  }
}

TEST(Contract, HelpWinsOverMistakes) {
  const Call call = spillway("swap nonsense --board nope --help");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.err, IsEmpty());
}

TEST(Contract, VersionIsOneLineOnStdout) {
  const Call call = spillway("--version");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(lines(call.out), ::testing::ElementsAre(StartsWith("spillway 0.")));
  EXPECT_THAT(call.err, IsEmpty());
}

TEST(Contract, WithoutVerbTheUsageGoesToStderrOnly) {
  const Call call = spillway("");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, IsEmpty());
  EXPECT_THAT(call.err, StartsWith("spillway: a verb is missing\n"));
  for (const std::string& verb : verbs)
    EXPECT_THAT(call.err, HasSubstr("\n  " + verb + " "));
}

TEST(Contract, NoVerbNeedsFilesThatItDoesNotRead) {
  const Folder folder;
  const std::string command =
      "SPILLWAY_DATA=" + (folder / "empty") + " " + paths::program() + " list models > " + (folder / "out");
  EXPECT_EQ(std::system(command.c_str()), 0);
  EXPECT_THAT(contents(folder / "out"), HasSubstr("vgg16"));
}

TEST(Contract, WhatCannotBeWrittenToStdoutIsAFailure) {
  const Folder folder;
  const std::string command = paths::program() + " list models > /dev/full 2> " + (folder / "err");
  const int status = std::system(command.c_str());
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_EQ(contents(folder / "err"), "spillway list: cannot write the result to stdout: No space left on device\n");
}

TEST(Contract, AnOutputIsNoInputAndNoOtherOutput) {
  const Folder folder;
  const std::string frames(784 * sizeof(float), '\0');
  std::ofstream(folder / "frames") << frames;
  const std::string model = paths::source("tests/models/data/fmnist_vggmini.onnx");
  const Call input = spillway({"infer", model, "--input", "frames", "--output", "./frames"}, folder.path());
  EXPECT_EQ(input.exit_code, 2);
  EXPECT_EQ(input.err,
            "spillway infer: --output: \"./frames\" is what --input names, too; expected a path of its own\n");
  EXPECT_EQ(contents(folder / "frames"), frames);

  std::filesystem::copy_file(model, folder / "model.onnx");
  const Call network =
      spillway({"quantize", "model.onnx", "--calibration", "frames", "--output", "model.onnx"}, folder.path());
  EXPECT_EQ(network.exit_code, 2);
  EXPECT_THAT(network.err, HasSubstr("--output: \"model.onnx\" is what NETWORK names, too"));

  const Call twice = spillway(
      {"swap", "tiny-chain", "--rule", "halo", "--trace", "same", "--trace-csv", (folder / "same")}, folder.path());
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--trace-csv: "));
  EXPECT_FALSE(std::filesystem::exists(folder / "same"));
}

TEST(Contract, TheSameCallGivesTheSameBytes) {
  const Call first = spillway("swap mobilenet");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(spillway("swap mobilenet").out, first.out);
  EXPECT_THAT(first.out, Not(IsEmpty()));
  EXPECT_THAT(first.err, IsEmpty());
}

}  // namespace
}  // namespace spillway::cli_test
