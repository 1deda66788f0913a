#include "tests/sim/trace/trace_rules.hpp"

#include <fstream>
#include <functional>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "tests/sim/trace/run.hpp"

namespace spillway::trace_rules {
namespace {

using nlohmann::json;

enum Event : std::size_t { process, io_name, cpu_name, read, compute, start, end, sample, later_sample };

/// A read of 1 us, a compute of 2 us that depends on it, and the levels of the pools.
json good_trace() {
  return json::parse(R"json({
    "traceEvents": [
      {"ph": "M", "pid": 1, "name": "process_name", "args": {"name": "board"}},
      {"ph": "M", "pid": 1, "tid": 1, "name": "thread_name", "args": {"name": "IO (SD card)"}},
      {"ph": "M", "pid": 1, "tid": 2, "name": "thread_name", "args": {"name": "CPU"}},
      {"ph": "X", "pid": 1, "tid": 1, "ts": 0.000, "dur": 1.000, "name": "conv input 0", "args": {"kind": "read_input"}},
      {"ph": "X", "pid": 1, "tid": 2, "ts": 1.000, "dur": 2.001, "name": "conv compute 0", "args": {"kind": "compute"}},
      {"ph": "s", "pid": 1, "tid": 1, "ts": 0.999, "id": 1, "cat": "dependency", "name": "input"},
      {"ph": "f", "pid": 1, "tid": 2, "ts": 1.000, "id": 1, "cat": "dependency", "name": "input", "bp": "e"},
      {"ph": "C", "pid": 1, "ts": 0.000, "name": "buffers in use", "args": {"input": 1, "weights": 0, "output": 0}},
      {"ph": "C", "pid": 1, "ts": 1.000, "name": "buffers in use", "args": {"input": 1, "weights": 0, "output": 1}}
    ],
    "otherData": {"input_buffers": 1, "weights_buffers": 2, "output_buffers": 1, "tasks": 2, "dependencies": 1,
                  "last_end_ns": 3001}
  })json");
}

TEST(TraceRules, GoodTraceKeepsThem) {
  const Report report = check(good_trace());
  EXPECT_THAT(report.broken, testing::IsEmpty());
  EXPECT_EQ(report.slices, 2u);
  EXPECT_EQ(report.flows, 1u);
  EXPECT_EQ(report.counter_samples, 2u);
  EXPECT_EQ(report.last_end_ns, 3001u);
  EXPECT_THAT(report.tracks, testing::UnorderedElementsAre("IO (SD card)", "CPU"));
}

struct Damage {
  std::string name, rule;
  std::function<void(json& trace, json& events)> apply;
};

std::ostream& operator<<(std::ostream& out, const Damage& damage) {
  return out << damage.name;
}

class Damaged : public testing::TestWithParam<Damage> {};

TEST_P(Damaged, BreaksItsRule) {
  json trace = good_trace();
  GetParam().apply(trace, trace["traceEvents"]);
  const Report report = check(trace);
  EXPECT_TRUE(report.breaks(GetParam().rule)) << testing::PrintToString(report.broken);
}

json copy_of(const json& events, Event which) {
  return events[which];
}

const std::vector<Damage> damages{
    {"NoEvents", "document", [](json& trace, json&) { trace.erase("traceEvents"); }},
    {"NoPhase", "members", [](json&, json& events) { events[read].erase("ph"); }},
    {"UnknownPhase", "members", [](json&, json& events) { events[read]["ph"] = "Q"; }},
    {"NoProcess", "members", [](json&, json& events) { events[sample].erase("pid"); }},
    {"NoThread", "members", [](json&, json& events) { events[read].erase("tid"); }},
    {"NoTime", "members", [](json&, json& events) { events[sample].erase("ts"); }},
    {"TimeAsText", "members", [](json&, json& events) { events[read]["ts"] = "0.000"; }},
    {"NoDuration", "members", [](json&, json& events) { events[read].erase("dur"); }},
    {"NoName", "members", [](json&, json& events) { events[read].erase("name"); }},
    {"NoFlowId", "members", [](json&, json& events) { events[start].erase("id"); }},
    {"Overlap", "overlap",
     [](json&, json& events) {
       events.push_back(copy_of(events, read));
       events.back()["ts"] = 0.999;
     }},
    {"SameSliceTwice", "overlap", [](json&, json& events) { events.push_back(copy_of(events, compute)); }},
    {"SlicesNotInOrder", "order",
     [](json&, json& events) {
       events.push_back(copy_of(events, compute));
       events.back()["ts"] = 0.5;
       events.back()["dur"] = 0.1;
     }},
    {"SamplesNotInOrder", "order", [](json&, json& events) { events[sample]["ts"] = 2.0; }},
    {"FlowWithoutEnd", "flow-pairs", [](json&, json& events) { events.erase(end); }},
    {"FlowWithoutStart", "flow-pairs", [](json&, json& events) { events.erase(start); }},
    {"FlowIdTwice", "flow-pairs", [](json&, json& events) { events.push_back(copy_of(events, start)); }},
    {"FlowBackwards", "flow-time",
     [](json&, json& events) {
       events[read]["dur"] = 2.0;
       events[start]["ts"] = 1.5;
     }},
    {"StepOutside", "flow-time",
     [](json&, json& events) {
       events.push_back(copy_of(events, end));
       events.back()["ph"] = "t";
       events.back()["ts"] = 1.5;
     }},
    {"FlowStartsAfterItsSlice", "flow-binding", [](json&, json& events) { events[start]["ts"] = 1.0; }},
    {"FlowEndsBeforeItsSlice", "flow-binding", [](json&, json& events) { events[end]["ts"] = 0.999; }},
    {"FlowOnAnEmptyTrack", "flow-binding", [](json&, json& events) { events[start]["tid"] = 7; }},
    {"FlowEndBindsToTheNextSlice", "flow-binding", [](json&, json& events) { events[end].erase("bp"); }},
    {"FlowBeforeItsSliceInTheFile", "flow-binding",
     [](json&, json& events) { std::swap(events[compute], events[end]); }},
    {"NegativeLevel", "counters", [](json&, json& events) { events[sample]["args"]["output"] = -1; }},
    {"LevelAboveThePool", "counters", [](json&, json& events) { events[sample]["args"]["input"] = 2; }},
    {"FractionalLevel", "counters", [](json&, json& events) { events[sample]["args"]["input"] = 0.5; }},
    {"UnknownPoolSize", "counters", [](json& trace, json&) { trace["otherData"].erase("input_buffers"); }},
    {"NoProcessName", "names", [](json&, json& events) { events.erase(process); }},
    {"NoThreadName", "names", [](json&, json& events) { events.erase(cpu_name); }},
    {"EmptyName", "names", [](json&, json& events) { events[io_name]["args"]["name"] = ""; }},
    {"TimesInNanoseconds", "unit",
     [](json&, json& events) {
       for (json& event : events) {
         for (const char* key : {"ts", "dur"}) {
           if (event.contains(key)) event[key] = event[key].get<double>() * 1000;
         }
       }
     }},
    {"FractionOfANanosecond", "unit", [](json&, json& events) { events[compute]["dur"] = 2.0014; }},
    {"NegativeTime", "unit", [](json&, json& events) { events[read]["ts"] = -0.001; }},
    {"EndNotStated", "unit", [](json& trace, json&) { trace.erase("otherData"); }},
    {"LostSlice", "counts",
     [](json&, json& events) {
       for (const Event event : {end, start, read})
         events.erase(event);
     }},
};

INSTANTIATE_TEST_SUITE_P(TraceRules, Damaged, testing::ValuesIn(damages),
                         [](const auto& test) { return test.param.name; });

TEST(TraceRules, TextThatIsNoJsonBreaksThem) {
  const trace::tests::Folder folder;
  std::ofstream(folder / "t.json") << R"({"traceEvents":[)";
  EXPECT_TRUE(check_file(folder / "t.json").breaks("document"));
  EXPECT_TRUE(check_file(folder / "none.json").breaks("document"));
}

}  // namespace
}  // namespace spillway::trace_rules
