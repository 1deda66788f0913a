#include <algorithm>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sim/trace/csv_trace.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;

const std::string data = paths::source("tests/models/data/");

TEST(Run, SwapsForRealAndIsEqualToTheNetworkInOnePiece) {
  for (const std::string rule : {"halo", "min-traffic"}) {
    const Folder folder;
    const Call call =
        spillway({"run", "tiny-residual", "--sram", "32KiB", "--buffer", "2KiB", "--rule", rule, "--frames", "3",
                  "--card-file", folder / "card", "--trace", folder / "t.json", "--trace-csv", folder / "t.csv"});
    ASSERT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.out,
                AllOf(HasSubstr("plan        tiny-residual, rule " + rule + ", 32 KiB in 16 buffers of 2 KiB"),
                      HasSubstr("equal to the network in one piece, bit for bit, in 3 frames"),
                      ContainsRegex("read_input +[0-9,]+ +[0-9,]+ +[0-9.]+ ms"), HasSubstr("frame 2 ")));
    // The same tasks and bytes as in the simulation.
    const Call simulated = spillway({"swap", "tiny-residual", "--sram", "32KiB", "--buffer", "2KiB", "--rule", rule,
                                     "--frames", "3", "--trace-csv", folder / "simulated.csv"});
    ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
    const auto real = trace::read_csv_trace(folder / "t.csv").records;
    const auto expected = trace::read_csv_trace(folder / "simulated.csv").records;
    ASSERT_EQ(real.size(), expected.size());
    const auto bytes = [](const std::vector<trace::Record>& records) {
      std::uint64_t sum = 0;
      for (const trace::Record& record : records)
        sum += record.bytes;
      return sum;
    };
    EXPECT_EQ(bytes(real), bytes(expected));
    EXPECT_FALSE(std::filesystem::exists(folder / "card.partial"));
  }
}

TEST(Run, InLockstepMakesTheDecisionsOfTheSimulation) {
  const Folder folder;
  const std::vector<std::string> plan = {"--sram", "32KiB", "--buffer", "1KiB", "--rule", "halo", "--frames", "2"};
  const auto with = [&plan](std::vector<std::string> first, const std::vector<std::string>& last) {
    first.insert(first.end(), plan.begin(), plan.end());
    first.insert(first.end(), last.begin(), last.end());
    return first;
  };
  const Call real = spillway(with({"run", "tiny-inception", "--lockstep"},
                                  {"--card-file", folder / "card", "--trace-csv", folder / "real.csv"}));
  ASSERT_EQ(real.exit_code, 0) << real.err;
  const Call simulated = spillway(with({"swap", "tiny-inception"}, {"--trace-csv", folder / "simulated.csv"}));
  ASSERT_EQ(simulated.exit_code, 0) << simulated.err;
  const auto tasks = [](const std::string& path) {
    std::vector<core::Task> order;
    for (const trace::Record& record : trace::read_csv_trace(path).records)
      order.push_back(record.task);
    return order;
  };
  EXPECT_TRUE(tasks(folder / "real.csv") == tasks(folder / "simulated.csv"));
}

TEST(Run, TakesAQuantisedFileAndClassifies) {
  const Folder folder;
  const Call call = spillway({"run", data + "fmnist_wide_int8.onnx", "--sram", "128KiB", "--buffer", "8KiB", "--input",
                              data + "fmnist_x200.f32", "--frames", "4", "--window", "1", "--top", "1", "--card-file",
                              folder / "card", "--output", folder / "out.f32"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("bit for bit, in 4 frames"), HasSubstr("frame 3 ")));
  EXPECT_EQ(std::filesystem::file_size(folder / "out.f32"), 4U * 10 * 4);
}

/// `run --measured` with the trace of a run on this machine: it has the form of a board's.
class Measured : public ::testing::Test {
 protected:
  Measured() {
    const Call call = run({"--card-file", folder_ / "card", "--trace-wire", folder_ / "run.bin"});
    EXPECT_EQ(call.exit_code, 0) << call.err;
  }

  Call run(const std::vector<std::string>& more, const std::string& buffer = "2KiB") const {
    std::vector<std::string> words = {"run", "tiny-residual", "--sram", "32KiB", "--buffer", buffer, "--rule", "halo"};
    words.insert(words.end(), more.begin(), more.end());
    return spillway(words, folder_.path());
  }
  Call judge(const std::vector<std::string>& more, const std::string& buffer = "2KiB") const {
    std::vector<std::string> words = {"--measured", folder_ / "run.bin"};
    words.insert(words.end(), more.begin(), more.end());
    return run(words, buffer);
  }

  Folder folder_;
};

TEST_F(Measured, ATraceGivesTimesThatForetellIt) {
  const Call fit = judge({"--calibrate", folder_ / "times.json"});
  ASSERT_EQ(fit.exit_code, 0) << fit.err;
  EXPECT_THAT(fit.out, AllOf(ContainsRegex("conv1 +[0-9.]+ ms"), ContainsRegex("\nsimulated +[0-9.]+ ms: [+-]")));
  const Call told = judge({"--predict", folder_ / "times.json"});
  ASSERT_EQ(told.exit_code, 0) << told.err;
  EXPECT_THAT(told.out, ContainsRegex("\npredicted +[0-9.]+ ms: [+-][0-9.]+ %; layers, mean absolute: IO "));
  EXPECT_THAT(told.out, ContainsRegex("\nmeasured +[0-9.]+ ms\n"));
}

TEST_F(Measured, ATraceOfAnotherPlanIsRefused) {
  const Call call = judge({}, "4KiB");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.out, ::testing::IsEmpty());
  EXPECT_THAT(call.err, HasSubstr("run.bin: --measured: is the trace of another plan: \"tiny-residual\" ran it"));
}

TEST_F(Measured, ATraceWithTasksMissingIsRefused) {
  const std::string bytes = contents(folder_ / "run.bin");
  std::ofstream(folder_ / "run.bin", std::ios::binary) << bytes.substr(0, bytes.size() / 2);
  const Call call = judge({});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, ContainsRegex("run.bin: --measured: has [0-9]+ of the plan's [0-9]+ tasks"));
}

TEST_F(Measured, WhatIsNoTraceIsRefused) {
  std::ofstream(folder_ / "run.bin", std::ios::binary) << "no trace";
  const Call call = judge({});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, HasSubstr("holds no trace of a firmware"));
}

TEST(Run, RefusesWhatCannotBeRunWithTheReason) {
  const Folder folder;
  const Call paper = spillway({"run", "tiny-chain", "--sram", "32KiB", "--buffer", "2KiB", "--rule", "paper-counts",
                               "--card-file", folder / "card"});
  EXPECT_EQ(paper.exit_code, 2);
  EXPECT_THAT(paper.err, HasSubstr("rule paper-counts cuts filters where no buffer holds the partial sums"));
  EXPECT_EQ(paper.out, "");

  const Call operators = spillway({"run", "alexnet", "--card-file", folder / "card"});
  EXPECT_EQ(operators.exit_code, 2);
  EXPECT_THAT(operators.err, HasSubstr("node"));

  const Call all = spillway({"run", "tiny-chain", "--element", "float32", "--frames", "0"});
  EXPECT_EQ(all.exit_code, 2);
  EXPECT_THAT(all.err, AllOf(HasSubstr("--card-file"), HasSubstr("--element"), HasSubstr("--frames")));

  std::ofstream(folder / "thesis.txt") << "not a card";
  const Call other = spillway({"run", "tiny-chain", "--card-file", folder / "thesis.txt"});
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.err, HasSubstr("holds something else than a card"));
  EXPECT_EQ(contents(folder / "thesis.txt"), "not a card");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder.path()), {}), 1);
}

}  // namespace
}  // namespace spillway::cli_test
