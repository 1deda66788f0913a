#include <algorithm>
#include <fstream>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/trace/wire_reader.hpp"
#include "tests/paths/paths.hpp"
#include "tests/sim/trace/trace_rules.hpp"

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::SizeIs;
using ::testing::StartsWith;

/// What stands behind a name in the report, `latency     7.25 s`; empty where there is no such line.
std::string value(const Call& call, const std::string& name) {
  for (const std::string& line : lines(call.out)) {
    if (line.starts_with(name + ' ')) return line.substr(line.find_first_not_of(' ', name.size()));
  }
  return "";
}

/// A column of a CSV file with one line of results.
std::string field(const std::string& csv, const std::string& column) {
  const auto split = [](const std::string& line) {
    std::vector<std::string> fields(1);
    bool quoted = false;
    for (const char letter : line) {
      if (letter == '"') quoted = !quoted;
      if (letter == ',' && !quoted) {
        fields.emplace_back();
      } else {
        fields.back() += letter;
      }
    }
    return fields;
  };
  const std::vector<std::string> rows = lines(csv);
  const std::vector<std::string> names = split(rows.at(0)), values = split(rows.at(1));
  const auto place = std::ranges::find(names, column);
  return place == names.end() ? "no column " + column : values.at(static_cast<std::size_t>(place - names.begin()));
}

TEST(Swap, PrintsWhatAUserWantsToKnow) {
  const Call call = spillway("swap mobilenet --board stm32f746g-disco --sram 320KiB --buffer 16KiB");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.err, IsEmpty());
  EXPECT_EQ(lines(call.out).front(), "mobilenet on stm32f746g-disco with card f746-disco-measured");
  EXPECT_EQ(value(call, "buffers"), "20 of 16 KiB in 320 KiB of SRAM: 5 input, 10 weight, 5 output");
  EXPECT_THAT(value(call, "latency"), HasSubstr(" s"));
  EXPECT_THAT(value(call, "throughput"), HasSubstr("frames/s"));
  EXPECT_THAT(value(call, "compute"), AllOf(StartsWith("busy for "), HasSubstr(" % of the time")));
  EXPECT_THAT(value(call, "IO"), AllOf(StartsWith("busy for "), HasSubstr("hidden behind compute")));
  EXPECT_EQ(value(call, "tasks"), "2,829 IO (576 input reads, 1,677 weight reads, 576 output writes), 1,681 compute");
  EXPECT_THAT(value(call, "bytes"), AllOf(HasSubstr(" read ("), HasSubstr(" written")));
  EXPECT_THAT(value(call, "energy"), AllOf(HasSubstr(" a frame (idle "), HasSubstr("in-core "), HasSubstr(" %")));
  EXPECT_THAT(value(call, "wear"), HasSubstr("GB written a day"));
  EXPECT_THAT(value(call, "executable"), StartsWith("no, it counts only: rule paper "));
}

TEST(Swap, TakesBoardCardAndBuffersByDefault) {
  EXPECT_EQ(spillway("swap mobilenet").out,
            spillway("swap mobilenet --board stm32f746g-disco --card f746-disco-measured --sram 320KiB --buffer 16KiB "
                     "--rule paper --element int8 --mode parallel --frames 1 --window 1 --queue skip --pools separate "
                     "--driver virtual-clock --contention 0.164")
                .out);
}

TEST(Swap, HaloGivesAnExecutablePlan) {
  const Call call = spillway("swap mobilenet --rule halo");
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_EQ(value(call, "executable"), "yes");
}

TEST(Swap, BothDriversAgree) {
  const Call clock = spillway("swap mobilenet --driver virtual-clock --contention 0");
  const Call simgrid = spillway("swap mobilenet --driver simgrid --contention 0");
  EXPECT_EQ(simgrid.exit_code, 0) << simgrid.err;
  for (const std::string name : {"latency", "IO", "compute", "tasks", "bytes", "energy"})
    EXPECT_EQ(value(clock, name), value(simgrid, name));
}

TEST(Swap, SequentialHidesNothing) {
  EXPECT_THAT(value(spillway("swap mobilenet --mode sequential"), "IO"), HasSubstr("; 0 s of it (0.0 %) hidden"));
}

TEST(Swap, TraceKeepsTheRulesOfTraceEvents) {
  for (const std::string driver : {"virtual-clock", "simgrid"}) {
    const Folder folder;
    const Call call =
        spillway({"swap", "mobilenet", "--frames", "2", "--driver", driver, "--trace", folder / "t.json"});
    ASSERT_EQ(call.exit_code, 0) << call.err;
    const trace_rules::Report report = trace_rules::check_file(folder / "t.json");
    EXPECT_THAT(report.broken, IsEmpty());
    EXPECT_EQ(report.slices, 2U * (2829 + 1681));
    EXPECT_THAT(report.tracks, SizeIs(2));
    EXPECT_GT(report.flows, 0U);
    EXPECT_GT(report.counter_samples, 0U);
    EXPECT_THAT(value(call, "trace"), HasSubstr("9,020 tasks"));
  }
}

TEST(Swap, ALongTraceIsCutAndSaysWhatIsLeftOut) {
  const Folder folder;
  const Call call = spillway({"swap", "mobilenet", "--trace", folder / "t.json", "--trace-events", "1000"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const trace_rules::Report report = trace_rules::check_file(folder / "t.json");
  EXPECT_THAT(report.broken, IsEmpty());
  EXPECT_LE(report.slices + 2 * report.flows + report.counter_samples, 1000U);
  EXPECT_GT(report.slices, 100U);
  const std::string left_out = std::to_string(2829 + 1681 - report.slices);
  EXPECT_THAT(call.out,
              HasSubstr("the last " + left_out.substr(0, 1) + ',' + left_out.substr(1) + " tasks are left out"));
}

TEST(Swap, ATraceHasAMillionEventsUnlessMoreAreAskedFor) {
  const Folder folder;
  const Call call =
      spillway({"swap", "vgg16", "--board", "swapnn-paper", "--frames", "3", "--trace", folder / "t.json"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(call.out, AllOf(HasSubstr("            cut after "), HasSubstr(" tasks are left out")));
}

TEST(Swap, WritesTheTraceOfABoard) {
  const Folder folder;
  const Call call = spillway(
      {"swap", "tiny-residual", "--buffer", "4KiB", "--trace-csv", folder / "t.csv", "--trace-wire", folder / "t.bin"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const trace::WireTrace wire = trace::read_wire_trace(folder / "t.bin");
  ASSERT_TRUE(wire.start && wire.end);
  EXPECT_EQ(wire.start->program, "tiny-residual");
  EXPECT_NE(wire.start->plan_hash, 0u);
  EXPECT_EQ(wire.records().size(), lines(contents(folder / "t.csv")).size() - 1);
}

TEST(Swap, TraceCsvHoldsEveryTask) {
  const Folder folder;
  const Call call = spillway({"swap", "tiny-residual", "--buffer", "4KiB", "--trace-csv", folder / "t.csv"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  EXPECT_EQ(lines(contents(folder / "t.csv")).front(), "frame,layer,layer_name,tile,kind,index,start_ns,end_ns,bytes");
}

TEST(Swap, CsvIsOneLineOfSettingsAndMetrics) {
  const Folder folder;
  const Call call = spillway({"swap", "mobilenet", "--frames", "3", "--csv", folder / "o.csv"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const std::string csv = contents(folder / "o.csv");
  EXPECT_THAT(lines(csv), SizeIs(2));
  EXPECT_EQ(field(csv, "network"), "mobilenet");
  EXPECT_EQ(field(csv, "sram_bytes"), "327680");
  EXPECT_EQ(field(csv, "frames"), "3");
  EXPECT_EQ(field(csv, "contention"), "0.164");
  EXPECT_EQ(field(csv, "status"), "ok");
  EXPECT_EQ(field(csv, "io_tasks_per_frame"), "2829");
}

TEST(Swap, ResultsDirectoryHoldsResultAndWhereItCameFrom) {
  const Folder folder;
  const std::string output = folder / "out";
  const Call call = spillway({"swap", "mobilenet", "--output", output});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const auto record = nlohmann::json::parse(contents(output + "/run.json"));
  EXPECT_EQ(record["command"], "spillway swap mobilenet --output " + output);
  EXPECT_THAT(contents(output + "/config.yaml"), HasSubstr("sram: [327680 B]"));
  EXPECT_EQ(contents(output + "/board-stm32f746g-disco.yaml"),
            contents(paths::source("platforms/boards/stm32f746g-disco.yaml")));

  // The configuration is an experiment: it gives the same results again.
  const Call again = spillway({"sweep", output + "/config.yaml", "--output", folder / "again"});
  ASSERT_EQ(again.exit_code, 0) << again.err;
  EXPECT_EQ(contents(folder / "again/results.csv"), contents(output + "/results.csv"));
}

TEST(Swap, AStallSaysWhoWaitsForWhichPool) {
  const Folder folder;
  const Call call = spillway({"swap", "mobilenet", "--pools", "shared", "--sram", "64KiB", "--frames", "4", "--trace",
                              folder / "t.json", "--csv", folder / "o.csv"});
  EXPECT_EQ(call.exit_code, 1) << call.out;
  EXPECT_EQ(call.err,
            "spillway swap: deadlock after 8.12 s and 4312 tasks\n"
            "  read_input of frame 1, layer conv1, tile 1, part 0 waits for the one pool: needs 1, free 0\n"
            "  read_weights of frame 0, layer fc, tile 0, chunk 2 waits for the one pool: needs 1, free 0\n"
            "  compute of frame 0, layer fc, tile 0, chunk 0 waits for the one pool: needs 1, free 0\n");
  EXPECT_EQ(value(call, "latency"), "");
  EXPECT_EQ(field(contents(folder / "o.csv"), "status"), "stalled");
  EXPECT_THAT(trace_rules::check_file(folder / "t.json").broken, IsEmpty());
}

}  // namespace
}  // namespace spillway::cli_test
