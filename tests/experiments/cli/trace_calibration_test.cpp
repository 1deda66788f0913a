#include <fstream>
#include <string>
#include <vector>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/trace/csv_trace.hpp"

/// `calibrate --trace`: figures that are known come back from a trace that was made with them.
namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

void write(const std::string& path, const std::string& content) {
  std::ofstream(path, std::ios::binary) << content;
}

const std::string true_board =
    "description: \"for the test\"\n"
    "sram: {value: 320 KiB, source: \"s\"}\n"
    "flash: {value: 1 MiB, source: \"s\"}\n"
    "clock: {value: 216 MHz, source: \"s\"}\n"
    "rates:\n"
    "  convolution: {value: 31 MMAC/s, source: \"s\"}\n"
    "  pointwise: {value: 47 MMAC/s, source: \"s\"}\n"
    "  depthwise: {value: 11 MMAC/s, source: \"s\"}\n"
    "  dense: {value: 23 MMAC/s, source: \"s\"}\n"
    "  elementwise: {value: 17 Melement/s, source: \"s\"}\n"
    "  pooling: {value: 29 Melement/s, source: \"s\"}\n"
    "compute_overhead: {value: 37 us, source: \"s\"}\n"
    "contention: {value: 12.5 %, source: \"s\"}\n"
    "idle_power: {value: 1 W, source: \"s\"}\n"
    "compute_power: {value: 2 W, source: \"s\"}\n";

const std::string true_card =
    "description: \"for the test\"\n"
    "read_overhead: {value: 0.4 ms, source: \"s\"}\n"
    "read_bandwidth: {value: 9 MB/s, source: \"s\"}\n"
    "write_overhead: {value: 1.1 ms, source: \"s\"}\n"
    "write_bandwidth: {value: 6 MB/s, source: \"s\"}\n"
    "power: {value: 0.3 W, source: \"s\"}\n"
    "capacity: {value: 4 GB, source: \"s\"}\n"
    "endurance: {value: 1000 cycles, source: \"s\"}\n"
    "erase_block: {value: 4 MiB, source: \"s\"}\n"
    "write_amplification: {value: 1, source: \"s\"}\n";

class TraceCalibration : public ::testing::Test {
 protected:
  TraceCalibration() {
    write(folder_ / "board.yaml", true_board);
    write(folder_ / "card.yaml", true_card);
  }

  std::vector<std::string> words(const std::string& verb, const std::string& network, const std::string& buffer,
                                 const std::vector<std::string>& more) const {
    std::vector<std::string> all = {verb, network, "--rule", "halo", "--sram", "64 KiB", "--buffer", buffer};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }

  /// The trace of a run with the true figures.
  void run(const std::string& network, const std::string& buffer) {
    const Call call = spillway(
        words("swap", network, buffer,
              {"--board", folder_ / "board.yaml", "--card", folder_ / "card.yaml", "--trace-csv", folder_ / "t.csv"}));
    ASSERT_EQ(call.exit_code, 0) << call.err;
  }

  Call calibrate(const std::string& network, const std::string& buffer, const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"--trace",       folder_ / "t.csv",
                                    "--write-board", folder_ / "fitted.yaml",
                                    "--write-card",  folder_ / "fitted_card.yaml"};
    all.insert(all.end(), more.begin(), more.end());
    return spillway(words("calibrate", network, buffer, all));
  }

  Folder folder_;
};

TEST_F(TraceCalibration, FindsTheFiguresThatATraceWasMadeWith) {
  run("tiny-residual", "4 KiB");
  const Call call = calibrate("tiny-residual", "4 KiB");
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const platforms::Board board = platforms::load_board(folder_ / "fitted.yaml");
  const platforms::Card card = platforms::load_card(folder_ / "fitted_card.yaml");
  EXPECT_NEAR(card.read_overhead.value, 0.4e-3, 0.4e-3 * 1e-3);
  EXPECT_NEAR(card.read_bandwidth.value, 9e6, 9e6 * 1e-3);
  EXPECT_NEAR(card.write_overhead.value, 1.1e-3, 1.1e-3 * 1e-3);
  EXPECT_NEAR(card.write_bandwidth.value, 6e6, 6e6 * 1e-3);
  EXPECT_NEAR(board.rates[0].value, 31e6, 31e6 * 1e-3) << "convolution";
  EXPECT_NEAR(board.rates[1].value, 47e6, 47e6 * 1e-2) << "pointwise";
  EXPECT_NEAR(board.compute_overhead.value, 37e-6, 37e-6 * 1e-2);
  EXPECT_NEAR(board.contention.value, 0.125, 0.001);
  EXPECT_THAT(board.rates[0].source, AllOf(HasSubstr("least squares over"), HasSubstr("trace t.csv of tiny-residual")));
  EXPECT_EQ(board.rates[2].value, platforms::load_board("stm32f746g-disco").rates[2].value) << "no depthwise layer";
  EXPECT_THAT(call.out, AllOf(ContainsRegex("makespan +.* measured; before .* fitted .*[+-]0.0[0-9] %"),
                              ContainsRegex("IO, held out +[1-9]"), ContainsRegex("compute, held out +[1-9]")));
}

TEST_F(TraceCalibration, WhatIsFittedToOneRunPredictsAnother) {
  run("tiny-residual", "2 KiB");
  ASSERT_EQ(calibrate("tiny-residual", "2 KiB").exit_code, 0);
  run("tiny-residual", "8 KiB");
  const Call predicted = spillway(words("swap", "tiny-residual", "8 KiB",
                                        {"--board", folder_ / "fitted.yaml", "--card", folder_ / "fitted_card.yaml",
                                         "--trace-csv", folder_ / "predicted.csv"}));
  ASSERT_EQ(predicted.exit_code, 0) << predicted.err;
  const Call call = spillway({"compare", folder_ / "predicted.csv", folder_ / "t.csv", "--tolerance", "1 %"});
  EXPECT_EQ(call.exit_code, 0) << call.out << call.err;
}

TEST_F(TraceCalibration, TimeBetweenTasksGoesIntoTheOverheads) {
  // Every task ends 20 us after the simulated time it would have had: a driver that needs them to start the next one.
  run("tiny-chain", "4 KiB");
  trace::CsvRecords csv = trace::read_csv_trace(folder_ / "t.csv");
  trace::CsvTrace later(folder_ / "later.csv", csv.layer_names);
  for (trace::Record record : csv.records) {
    // Starts late, ends as before: 5 us of each task were the way to it.
    record.start_ns += 5000;
    later.record(record);
  }
  later.finish();
  const Call call = spillway(words("calibrate", "tiny-chain", "4 KiB", {"--trace", folder_ / "later.csv"}));
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, ContainsRegex("driver +from one task to the next, in the overheads: 5 us a task of IO"));
}

TEST_F(TraceCalibration, ATraceOfAnotherPlanIsRefused) {
  run("tiny-residual", "2 KiB");
  const Call other = calibrate("tiny-residual", "4 KiB");
  EXPECT_EQ(other.exit_code, 2);
  EXPECT_THAT(other.out, IsEmpty());
  EXPECT_THAT(other.err, HasSubstr("is it the trace of this network, with this SRAM, buffer"));
  EXPECT_EQ(calibrate("tiny-chain", "4 KiB").exit_code, 2);
}

TEST_F(TraceCalibration, ATraceThatNoSchedulerMadeIsRefused) {
  run("tiny-chain", "1 KiB");
  // The first two tiles of a layer are written in the other order.
  trace::CsvRecords csv = trace::read_csv_trace(folder_ / "t.csv");
  std::vector<trace::Record*> writes;
  for (trace::Record& record : csv.records)
    if (record.task.kind == core::TaskKind::write_output && record.task.layer == 0) writes.push_back(&record);
  ASSERT_GE(writes.size(), 2u);
  std::swap(writes[0]->task, writes[1]->task);
  std::swap(writes[0]->bytes, writes[1]->bytes);
  trace::CsvTrace swapped(folder_ / "t.csv", csv.layer_names);
  for (const trace::Record& record : csv.records)
    swapped.record(record);
  swapped.finish();
  const Call call = calibrate("tiny-chain", "1 KiB");
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("is no decision of the scheduler's"), ContainsRegex("(it would have started|it "
                                                                                            "had nothing to start)")));
}

TEST_F(TraceCalibration, RefusesAllMistakesAtOnce) {
  run("tiny-chain", "4 KiB");
  const Call call = calibrate("tiny-chian", "4 KiB", {"--board", "nowhere", "--clock", "2", "--frames", "0"});
  EXPECT_EQ(call.exit_code, 2);
  EXPECT_THAT(call.err, AllOf(HasSubstr("did you mean \"tiny-chain\""), HasSubstr("--board"), HasSubstr("--clock"),
                              HasSubstr("--frames")));
  EXPECT_THAT(calibrate("tiny-chain", "4 KiB", {"--hold-out", "conv9"}).err, HasSubstr("unknown layer \"conv9\""));
  EXPECT_THAT(calibrate("tiny-chain", "4 KiB", {"--judge"}).err, HasSubstr("neither --layers nor --judge"));
  EXPECT_THAT(spillway("calibrate tiny-chain").err, HasSubstr("--trace: is missing"));
  EXPECT_THAT(spillway("calibrate --board rk3588").err, HasSubstr("--board: names the board of --layers or --trace"));
}

}  // namespace
}  // namespace spillway::cli_test
