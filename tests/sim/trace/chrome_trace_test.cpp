#include "sim/trace/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "sim/trace/tee.hpp"
#include "tests/sim/trace/run.hpp"
#include "tests/sim/trace/trace_rules.hpp"

namespace spillway::trace {
namespace {

using core::TaskKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

/// Start and end names of every arrow, with its kind.
std::vector<std::string> arrows_of(const nlohmann::json& trace) {
  const auto nanoseconds = [](const nlohmann::json& time) { return std::llround(time.get<double>() * 1000); };
  const auto slice_at = [&](const nlohmann::json& end) {
    for (const nlohmann::json& event : trace["traceEvents"]) {
      if (event["ph"] != "X" || event["tid"] != end["tid"]) continue;
      const auto start = nanoseconds(event["ts"]), time = nanoseconds(end["ts"]);
      if (start <= time && time < start + nanoseconds(event["dur"])) {
        return event["name"].get<std::string>() + " of tile " + event["args"]["tile"].dump();
      }
    }
    return std::string("nothing");
  };
  std::vector<std::string> arrows;
  for (const nlohmann::json& start : trace["traceEvents"]) {
    if (start["ph"] != "s") continue;
    for (const nlohmann::json& end : trace["traceEvents"]) {
      if (end["ph"] != "f" || end["id"] != start["id"]) continue;
      arrows.push_back(start["name"].get<std::string>() + ": " + slice_at(start) + " -> " + slice_at(end));
    }
  }
  return arrows;
}

class ChromeTraceTest : public testing::Test {
 protected:
  nlohmann::json parsed() const { return nlohmann::json::parse(tests::text_of(path_)); }

  tests::Folder folder_;
  std::filesystem::path path_ = folder_ / "trace.json";
};

TEST_F(ChromeTraceTest, RunKeepsTheRules) {
  const tests::Network network = tests::three_layers(4, 3, 2);
  const core::Plan plan = network.plan();
  ChromeTrace trace(path_, plan, network.names);
  tests::Recorder recorder;
  Tee tee{&trace, &recorder};
  const std::uint64_t makespan_ns = tests::run(plan, tee);
  ASSERT_GT(makespan_ns, 0u);
  const ChromeTraceSummary summary = trace.finish();

  const trace_rules::Report report = trace_rules::check_file(path_);
  EXPECT_THAT(report.broken, IsEmpty());
  EXPECT_EQ(report.slices, recorder.records.size());
  EXPECT_EQ(summary.tasks, recorder.records.size());
  EXPECT_EQ(report.last_end_ns, makespan_ns);
  EXPECT_EQ(report.flows, summary.dependencies);
  EXPECT_EQ(summary.events, report.slices + 2 * report.flows + report.counter_samples);
  EXPECT_EQ(summary.broken_dependencies, 0u);
  EXPECT_FALSE(summary.cut());
  EXPECT_THAT(report.tracks, UnorderedElementsAre("IO (SD card)", "CPU"));
  EXPECT_GT(report.counter_samples, 10u);
  // Each frame has 4 + 2 + 2 tiles; 4 of 2 chunks; 2 of 2 parts.
  EXPECT_THAT(report.kinds, UnorderedElementsAre(Pair("read_input", 30), Pair("read_weights", 24), Pair("compute", 36),
                                                 Pair("write_output", 24)));
  EXPECT_THAT(report.flow_names,
              UnorderedElementsAre(Pair("input", 24), Pair("weights", 24), Pair("result", 24), Pair("release", 12)));
}

TEST_F(ChromeTraceTest, ArrowsFollowTheTaskGraph) {
  const tests::Network network = tests::three_layers(2);
  ChromeTrace trace(path_, network.plan(), network.names);
  ASSERT_GT(tests::run(network.plan(), trace), 0u);
  trace.finish();
  EXPECT_THAT(arrows_of(parsed()),
              UnorderedElementsAre("input: conv1_1 input 0 of tile 0 -> conv1_1 compute 0 of tile 0",
                                   "weights: conv1_1 weights 0 of tile 0 -> conv1_1 compute 0 of tile 0",
                                   "weights: conv1_1 weights 1 of tile 0 -> conv1_1 compute 1 of tile 0",
                                   "result: conv1_1 compute 1 of tile 0 -> conv1_1 output of tile 0",
                                   "input: conv1_1 input 0 of tile 1 -> conv1_1 compute 0 of tile 1",
                                   "weights: conv1_1 weights 0 of tile 1 -> conv1_1 compute 0 of tile 1",
                                   "weights: conv1_1 weights 1 of tile 1 -> conv1_1 compute 1 of tile 1",
                                   "result: conv1_1 compute 1 of tile 1 -> conv1_1 output of tile 1",
                                   // Both stripes of the convolution lie under the one tile of the pooling.
                                   "release: conv1_1 output of tile 1 -> pool1 input 0 of tile 0",
                                   "input: pool1 input 0 of tile 0 -> pool1 compute 0 of tile 0",
                                   "result: pool1 compute 0 of tile 0 -> pool1 output of tile 0",
                                   "release: pool1 output of tile 0 -> add1 input 0 of tile 0",
                                   "input: add1 input 1 of tile 0 -> add1 compute 0 of tile 0",
                                   "result: add1 compute 0 of tile 0 -> add1 output of tile 0"));
}

TEST_F(ChromeTraceTest, ReleaseComesFromTheLastWriteUnderTheTile) {
  const tests::Network network = tests::three_layers(4);
  ChromeTrace trace(path_, network.plan(), network.names);
  const auto write = [&](std::uint32_t tile, std::uint64_t start_ns) {
    trace.record({{0, tile, 0, 0, TaskKind::write_output}, start_ns, start_ns + 10, 64});
  };
  write(1, 0);
  write(0, 10);
  write(3, 20);  // not under tile 0 of the pooling
  trace.record({{0, 0, 0, 1, TaskKind::read_input}, 30, 40, 64});
  trace.finish();
  EXPECT_THAT(arrows_of(parsed()), ElementsAre("release: conv1_1 output of tile 0 -> pool1 input 0 of tile 0"));
}

TEST_F(ChromeTraceTest, TimesKeepEveryNanosecond) {
  const tests::Network network = tests::three_layers();
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.record({{0, 0, 0, 0, TaskKind::read_input}, 12'345, 13'345, 64});
  trace.record({{0, 0, 0, 0, TaskKind::read_weights}, 13'345, 9'007'199'254'740'993'007, 64});
  trace.finish();
  const std::string text = tests::text_of(path_);
  EXPECT_THAT(text,
              HasSubstr(R"({"ph":"X","pid":1,"tid":1,"ts":12.345,"dur":1.000,"name":"conv1_1 input 0",)"
                        R"("args":{"frame":0,"layer":"conv1_1","tile":0,"index":0,"bytes":64,"kind":"read_input"}})"));
  EXPECT_THAT(text, HasSubstr(R"("ts":13.345,"dur":9007199254740979.662)"));
}

TEST_F(ChromeTraceTest, LevelsOfOneInstantAreOneSample) {
  const tests::Network network = tests::three_layers();
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.pools({0, 1, 0, 0});
  trace.pools({0, 1, 2, 1});
  trace.pools({1500, 1, 2, 1});  // no change
  trace.pools({2000, 0, 2, 1});
  EXPECT_EQ(trace.finish().events, 2u);
  const std::string text = tests::text_of(path_);
  EXPECT_THAT(
      text,
      HasSubstr(R"({"ph":"C","pid":1,"ts":0.000,"name":"buffers in use","args":{"input":1,"weights":2,"output":1}})"));
  EXPECT_THAT(text, HasSubstr(R"("ts":2.000,"name":"buffers in use","args":{"input":0,"weights":2,"output":1})"));
}

TEST_F(ChromeTraceTest, SharedPoolIsOneCounter) {
  tests::Network network = tests::three_layers();
  network.pools.shared = true;
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.pools({0, 8, 0, 0});
  trace.finish();
  EXPECT_THAT(trace_rules::check_file(path_).broken, IsEmpty());
}

TEST_F(ChromeTraceTest, OverlappingTasksOfOneResourceGetTracksOfTheirOwn) {
  const tests::Network network = tests::three_layers();
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.record({{0, 0, 0, 0, TaskKind::read_weights}, 0, 100, 64});
  trace.record({{0, 0, 1, 0, TaskKind::read_weights}, 50, 150, 64});
  trace.record({{0, 1, 0, 0, TaskKind::read_weights}, 100, 200, 64});
  trace.finish();
  const trace_rules::Report report = trace_rules::check_file(path_);
  EXPECT_THAT(report.broken, IsEmpty());
  EXPECT_THAT(report.tracks, UnorderedElementsAre("IO (SD card)", "IO (SD card) 2"));
}

TEST_F(ChromeTraceTest, ZeroLengthTasksKeepTheRules) {
  const tests::Network network = tests::three_layers();
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.record({{0, 0, 0, 0, TaskKind::read_input}, 0, 0, 64});
  trace.record({{0, 0, 0, 0, TaskKind::compute}, 0, 0, 0});
  EXPECT_EQ(trace.finish().dependencies, 1u);
  EXPECT_THAT(trace_rules::check_file(path_).broken, IsEmpty());
}

TEST_F(ChromeTraceTest, DependencyThatPointsBackIsCountedAndNotDrawn) {
  const tests::Network network = tests::three_layers();
  ChromeTrace trace(path_, network.plan(), network.names);
  trace.record({{0, 0, 0, 0, TaskKind::read_input}, 0, 100, 64});
  trace.record({{0, 0, 0, 0, TaskKind::compute}, 99, 200, 0});
  const ChromeTraceSummary summary = trace.finish();
  EXPECT_EQ(summary.broken_dependencies, 1u);
  EXPECT_EQ(summary.dependencies, 0u);
  EXPECT_THAT(trace_rules::check_file(path_).broken, IsEmpty());
}

TEST_F(ChromeTraceTest, CutTraceIsValidAndSaysSo) {
  const tests::Network network = tests::three_layers(4, 3);
  tests::Recorder whole;
  tests::run(network.plan(), whole);
  for (std::uint64_t limit = 0; limit < 60; ++limit) {
    ChromeTrace trace(path_, network.plan(), network.names, {limit, "board"});
    tests::run(network.plan(), trace);
    const ChromeTraceSummary summary = trace.finish();
    EXPECT_TRUE(summary.cut());
    EXPECT_LE(summary.events, limit);
    EXPECT_EQ(summary.tasks + summary.tasks_left_out, whole.records.size());
    const trace_rules::Report report = trace_rules::check_file(path_);
    EXPECT_THAT(report.broken, IsEmpty()) << limit;
    EXPECT_EQ(report.slices, summary.tasks);
    EXPECT_THAT(tests::text_of(path_),
                HasSubstr("trace cut: " + std::to_string(summary.tasks_left_out) + " tasks left out"));
  }
}

TEST_F(ChromeTraceTest, LayerNamesAreEscaped) {
  tests::Network network = tests::three_layers();
  network.names[0] = "a \"b\"\\\n\xFF";
  ChromeTrace trace(path_, network.plan(), network.names, {100, "\"board\""});
  trace.record({{0, 0, 0, 0, TaskKind::read_input}, 0, 100, 64});
  trace.finish();
  EXPECT_THAT(trace_rules::check_file(path_).broken, IsEmpty());
  EXPECT_THAT(tests::text_of(path_), HasSubstr("\"layer\":\"a \\\"b\\\"\\\\\\n\xEF\xBF\xBD\""));
}

TEST_F(ChromeTraceTest, WrongRequestsAreRefused) {
  const tests::Network network = tests::three_layers();
  EXPECT_THROW(ChromeTrace(path_, network.plan(), {"conv1_1"}), std::invalid_argument);
  ChromeTrace trace(path_, network.plan(), network.names);
  EXPECT_THROW(trace.record({{0, 0, 0, 3, TaskKind::compute}, 0, 1, 0}), std::invalid_argument);
  EXPECT_THROW(trace.record({{0, 4, 0, 0, TaskKind::compute}, 0, 1, 0}), std::invalid_argument);
  EXPECT_THROW(trace.record({{0, 0, 0, 0, TaskKind::compute}, 2, 1, 0}), std::invalid_argument);
}

TEST_F(ChromeTraceTest, NothingStaysWithoutFinish) {
  const tests::Network network = tests::three_layers();
  {
    ChromeTrace trace(path_, network.plan(), network.names);
    tests::run(network.plan(), trace);
  }
  EXPECT_EQ(folder_.entries(), 0u);
}

TEST_F(ChromeTraceTest, SameRunGivesTheSameBytes) {
  const tests::Network network = tests::three_layers(4, 5, 3);
  std::vector<std::string> texts;
  for (int repeat = 0; repeat < 2; ++repeat) {
    ChromeTrace trace(path_, network.plan(), network.names);
    tests::run(network.plan(), trace);
    trace.finish();
    texts.push_back(tests::text_of(path_));
  }
  EXPECT_EQ(texts[0], texts[1]);
}

TEST(Dependencies, MemoryDoesNotGrowWithTheFrames) {
  struct Watch final : Sink {
    explicit Watch(const core::Plan& plan) : dependencies(plan) {}
    void record(const Record& record) override {
      dependencies.finished(record.task, {record.start_ns, record.end_ns, 1});
      most = std::max(most, dependencies.held());
    }
    void pools(const PoolLevels&) override {}
    Dependencies dependencies;
    std::size_t most = 0;
  };
  const auto most_held = [](std::uint32_t frames) {
    const tests::Network network = tests::three_layers(4, frames, 2);
    Watch watch(network.plan());
    EXPECT_GT(tests::run(network.plan(), watch), 0u);
    EXPECT_EQ(watch.dependencies.held(), 0u);
    return watch.most;
  };
  EXPECT_EQ(most_held(10), most_held(1000));
}

}  // namespace
}  // namespace spillway::trace
