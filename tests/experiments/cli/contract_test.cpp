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

TEST(Contract, TheSameCallGivesTheSameBytes) {
  const Call first = spillway("swap mobilenet");
  EXPECT_EQ(first.exit_code, 0);
  EXPECT_EQ(spillway("swap mobilenet").out, first.out);
  EXPECT_THAT(first.out, Not(IsEmpty()));
  EXPECT_THAT(first.err, IsEmpty());
}

}  // namespace
}  // namespace spillway::cli_test
