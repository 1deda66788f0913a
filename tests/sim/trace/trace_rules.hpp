#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

/// The rules of trace-event JSON that a viewer relies on (Perfetto drops or misplaces what breaks them), and those of
/// our own traces. Written for any test that has a trace file, also one that a command made.
namespace spillway::trace_rules {

/// What a trace holds, and every rule that it breaks as "rule: event number: what".
struct Report {
  std::vector<std::string> broken;
  std::size_t slices = 0, flows = 0, counter_samples = 0;
  std::uint64_t last_end_ns = 0;                  ///< end of the last slice
  std::map<std::string, std::size_t> kinds;       ///< slices by the argument "kind"
  std::map<std::string, std::size_t> flow_names;  ///< complete flows by name
  std::set<std::string> tracks;                   ///< names of threads with slices

  bool breaks(const std::string& rule) const {
    return std::any_of(broken.begin(), broken.end(),
                       [&](const std::string& line) { return line.starts_with(rule + ":"); });
  }
};

class Checker {
 public:
  explicit Checker(const nlohmann::json& trace) : trace_(trace) {}

  Report check() {
    if (!trace_.is_object() || !trace_.contains("traceEvents") || !trace_["traceEvents"].is_array()) {
      report_.broken.push_back("document: no array traceEvents");
      return std::move(report_);
    }
    for (const nlohmann::json& event : trace_["traceEvents"]) {
      ++number_;
      if (has_required_members(event)) add(event);
    }
    check_slices();
    check_flows();
    check_names();
    check_other_data();
    return std::move(report_);
  }

 private:
  using Track = std::pair<std::int64_t, std::int64_t>;  ///< pid, tid
  struct Slice {
    std::int64_t start = 0, end = 0;  ///< ns
    std::size_t number = 0;

    bool holds(std::int64_t time) const { return start <= time && (time < end || (start == end && time == start)); }
  };
  struct FlowEnd {
    Track track;
    std::int64_t time = 0;
    std::size_t number = 0;
  };
  struct Flow {
    std::vector<FlowEnd> starts, steps, ends;
    std::string name;
  };

  void broken(const std::string& rule, const std::string& what) { broken(rule, number_, what); }
  void broken(const std::string& rule, std::size_t number, const std::string& what) {
    report_.broken.push_back(rule + ": event " + std::to_string(number) + ": " + what);
  }

  /// ph, pid and name always; tid, ts, dur, id, bp and args where the kind of event needs them.
  bool has_required_members(const nlohmann::json& event) {
    if (!event.is_object() || !event.contains("ph") || !event["ph"].is_string()) {
      broken("members", "no ph");
      return false;
    }
    const std::string ph = event["ph"];
    static const std::map<std::string, std::vector<std::string>> needed{
        {"X", {"tid", "ts", "dur"}}, {"C", {"ts", "args"}},      {"M", {"args"}},           {"i", {"ts", "tid"}},
        {"s", {"tid", "ts", "id"}},  {"t", {"tid", "ts", "id"}}, {"f", {"tid", "ts", "id"}}};
    const auto kind = needed.find(ph);
    if (kind == needed.end()) {
      broken("members", "unknown ph " + ph);
      return false;
    }
    bool complete = true;
    const auto require = [&](const char* key, bool present) {
      if (!present) broken("members", ph + " without " + key);
      complete = complete && present;
    };
    require("pid", event.contains("pid") && event["pid"].is_number_integer());
    require("name", event.contains("name") && event["name"].is_string() && !event["name"].empty());
    for (const std::string& key : kind->second) {
      const bool number = key == "ts" || key == "dur";
      require(key.c_str(), event.contains(key) && (!number || event[key].is_number()) &&
                               (key != "tid" || event[key].is_number_integer()) &&
                               (key != "args" || event[key].is_object()));
    }
    return complete;
  }

  /// Nanoseconds of a member in microseconds, which must be a whole number of them and not negative.
  std::int64_t nanoseconds(const nlohmann::json& event, const char* key) {
    const double value = event[key].get<double>() * 1000;
    const double rounded = std::round(value);
    if (std::abs(value - rounded) > 0.01) broken("unit", std::string(key) + " is no whole number of nanoseconds");
    if (value < 0) broken("unit", std::string(key) + " is negative");
    return static_cast<std::int64_t>(rounded);
  }

  void add(const nlohmann::json& event) {
    const char ph = event["ph"].get<std::string>()[0];
    const std::int64_t pid = event["pid"];
    const Track track{pid, event.value("tid", std::int64_t{-1})};
    switch (ph) {
      case 'X':
        add_slice(event, track);
        break;
      case 'C':
        add_sample(event, pid);
        break;
      case 'M':
        add_name(event, track);
        break;
      case 's':
      case 't':
      case 'f':
        add_flow_end(event, track, ph);
        break;
      default:
        break;
    }
  }

  void add_slice(const nlohmann::json& event, const Track& track) {
    const std::int64_t start = nanoseconds(event, "ts");
    const Slice slice{start, start + nanoseconds(event, "dur"), number_};
    ++report_.slices;
    report_.last_end_ns =
        std::max(report_.last_end_ns, static_cast<std::uint64_t>(std::max<std::int64_t>(slice.end, 0)));
    if (event.contains("args") && event["args"].contains("kind")) ++report_.kinds[event["args"]["kind"]];
    std::vector<Slice>& slices = slices_[track];
    if (!slices.empty() && slice.start < slices.back().start) broken("order", "starts before the slice before it");
    slices.push_back(slice);
  }

  void add_sample(const nlohmann::json& event, std::int64_t pid) {
    ++report_.counter_samples;
    const std::int64_t time = nanoseconds(event, "ts");
    const auto [last, is_new] = last_sample_.try_emplace({pid, event["name"]}, time);
    if (!is_new && time < last->second) broken("order", "counter sample before the one before it");
    last->second = time;
    const nlohmann::json other = trace_.value("otherData", nlohmann::json::object());
    for (const auto& [name, value] : event["args"].items()) {
      if (!value.is_number_integer() || value.get<std::int64_t>() < 0) {
        broken("counters", name + " is " + value.dump() + ", expected an integer from 0");
        continue;
      }
      if (event["name"] != "buffers in use") continue;
      const std::string size = name + "_buffers";
      if (!other.contains(size)) {
        broken("counters", "otherData has no " + size);
      } else if (value.get<std::int64_t>() > other[size].get<std::int64_t>()) {
        broken("counters", name + " is " + value.dump() + " of " + other[size].dump() + " buffers");
      }
    }
  }

  void add_name(const nlohmann::json& event, const Track& track) {
    if (event["name"] != "process_name" && event["name"] != "thread_name") return;
    const nlohmann::json& name = event["args"].value("name", nlohmann::json());
    if (!name.is_string() || name.get<std::string>().empty()) {
      broken("names", "metadata without a name");
    } else if (event["name"] == "process_name") {
      processes_.insert(track.first);
    } else {
      threads_[track] = name;
    }
  }

  void add_flow_end(const nlohmann::json& event, const Track& track, char ph) {
    Flow& flow = flows_[event["id"].dump()];
    flow.name = event["name"];
    const FlowEnd end{track, nanoseconds(event, "ts"), number_};
    (ph == 's' ? flow.starts : ph == 't' ? flow.steps : flow.ends).push_back(end);
    if (ph == 'f' && event.value("bp", "") != "e") broken("flow-binding", "f without bp e binds to the next slice");
  }

  void check_slices() {
    for (auto& [track, slices] : slices_) {
      std::stable_sort(slices.begin(), slices.end(), [](const Slice& a, const Slice& b) { return a.start < b.start; });
      for (std::size_t index = 1; index < slices.size(); ++index) {
        if (slices[index].start >= slices[index - 1].end) continue;
        broken("overlap", slices[index].number,
               "starts inside the slice of event " + std::to_string(slices[index - 1].number));
      }
    }
  }

  void check_flows() {
    for (const auto& [id, flow] : flows_) {
      const std::size_t number =
          (flow.starts.empty() ? flow.ends.empty() ? flow.steps : flow.ends : flow.starts)[0].number;
      if (flow.starts.size() > 1 || flow.ends.size() > 1) {
        broken("flow-pairs", number, "id " + id + " is not unique");
      } else if (flow.starts.empty() || flow.ends.empty()) {
        broken("flow-pairs", number, "id " + id + (flow.starts.empty() ? " has no s" : " has no f"));
      } else {
        ++report_.flows;
        ++report_.flow_names[flow.name];
        if (flow.ends[0].time < flow.starts[0].time) broken("flow-time", flow.ends[0].number, "f before its s");
        for (const FlowEnd& step : flow.steps) {
          if (step.time < flow.starts[0].time || step.time > flow.ends[0].time) {
            broken("flow-time", step.number, "t outside its s and f");
          }
        }
      }
      for (const auto* ends : {&flow.starts, &flow.steps, &flow.ends}) {
        for (const FlowEnd& end : *ends)
          check_binding(end);
      }
    }
  }

  /// Viewers sort by time and keep the order of the file within an instant, so the slice must come first.
  void check_binding(const FlowEnd& end) {
    const auto slices = slices_.find(end.track);
    if (slices == slices_.end()) {
      broken("flow-binding", end.number, "no slice on its track");
      return;
    }
    auto after = std::upper_bound(slices->second.begin(), slices->second.end(), end.time,
                                  [](std::int64_t time, const Slice& slice) { return time < slice.start; });
    if (after == slices->second.begin() || !std::prev(after)->holds(end.time)) {
      broken("flow-binding", end.number, "no slice at its time");
    } else if (std::prev(after)->number > end.number) {
      broken("flow-binding", end.number, "stands before its slice in the file");
    }
  }

  void check_names() {
    for (const auto& [track, slices] : slices_) {
      const std::string where = "pid " + std::to_string(track.first) + " tid " + std::to_string(track.second);
      if (!processes_.contains(track.first)) broken("names", slices[0].number, where + " has no process_name");
      const auto thread = threads_.find(track);
      if (thread == threads_.end()) {
        broken("names", slices[0].number, where + " has no thread_name");
      } else {
        report_.tracks.insert(thread->second);
      }
    }
  }

  /// Our own: the file states its end in nanoseconds and its counts, so that a wrong unit or a lost event shows.
  void check_other_data() {
    const nlohmann::json other = trace_.value("otherData", nlohmann::json::object());
    const auto compare = [&](const char* rule, const char* key, std::uint64_t found) {
      if (!other.contains(key)) {
        report_.broken.push_back(std::string(rule) + ": otherData has no " + key);
      } else if (other[key] != found) {
        report_.broken.push_back(std::string(rule) + ": " + key + " is " + other[key].dump() + ", the events say " +
                                 std::to_string(found));
      }
    };
    compare("unit", "last_end_ns", report_.last_end_ns);
    compare("counts", "tasks", report_.slices);
    compare("counts", "dependencies", report_.flows);
  }

  const nlohmann::json& trace_;
  Report report_;
  std::size_t number_ = 0;  ///< of the event, from 1
  std::map<Track, std::vector<Slice>> slices_;
  std::map<std::pair<std::int64_t, std::string>, std::int64_t> last_sample_;
  std::map<std::string, Flow> flows_;
  std::set<std::int64_t> processes_;
  std::map<Track, std::string> threads_;
};

inline Report check(const nlohmann::json& trace) {
  return Checker(trace).check();
}

/// Reads and checks a file; text that is no JSON breaks the rule "document".
inline Report check_file(const std::filesystem::path& path) {
  std::ifstream file(path);
  const nlohmann::json trace = nlohmann::json::parse(file, nullptr, false);
  if (!trace.is_discarded()) return check(trace);
  Report report;
  report.broken.push_back("document: '" + path.string() + "' is no JSON");
  return report;
}

}  // namespace spillway::trace_rules
