#include "sim/trace/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/trace/names.hpp"

namespace spillway::trace {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;

/// Bound of an event's text without names: keys, and at most ten numbers of 20 digits.
constexpr std::size_t fixed_bytes = 600;

/// Escaped for JSON; bytes that are not UTF-8 become replacement characters.
std::string escaped(const std::string& text) {
  const std::string quoted = nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

std::string_view short_name(core::TaskKind kind) {
  switch (kind) {
    case core::TaskKind::read_input:
      return "input";
    case core::TaskKind::read_weights:
      return "weights";
    case core::TaskKind::compute:
      return "compute";
    case core::TaskKind::write_output:
      return "output";
  }
  return {};
}

std::string_view to_string(Dependency dependency) {
  switch (dependency) {
    case Dependency::input:
      return "input";
    case Dependency::weights:
      return "weights";
    case Dependency::result:
      return "result";
    case Dependency::release:
      return "release";
  }
  return {};
}

/// An instant inside the slice and as late as can be: the end itself belongs to what follows.
std::uint64_t last_instant(const Slice& slice) {
  return std::max(slice.start_ns, slice.end_ns - (slice.end_ns > 0));
}

void check(const Record& record, const core::Plan& plan) {
  const core::Task& task = record.task;
  if (task.layer >= plan.layers.size()) {
    throw std::invalid_argument(
        fmt::format("trace: a task of layer {}, but the plan has {} layers", task.layer, plan.layers.size()));
  }
  if (task.tile >= plan.layers[task.layer].tiles()) {
    throw std::invalid_argument(fmt::format("trace: a task of tile {} of layer {}, but that layer has {} tiles",
                                            task.tile, task.layer, plan.layers[task.layer].tiles()));
  }
  if (record.end_ns < record.start_ns) {
    throw std::invalid_argument(fmt::format("trace: {} {} of layer {} ends at {} ns, before its start at {} ns",
                                            trace::to_string(task.kind), task.index, task.layer, record.end_ns,
                                            record.start_ns));
  }
}

}  // namespace

ChromeTrace::ChromeTrace(std::filesystem::path path, const core::Plan& plan,
                         const std::vector<std::string>& layer_names, ChromeTraceOptions options)
    : file_(std::move(path)), plan_(plan), options_(std::move(options)), dependencies_(plan) {
  if (layer_names.size() != plan.layers.size()) {
    throw std::invalid_argument(
        fmt::format("trace: {} layer names for a plan of {} layers", layer_names.size(), plan.layers.size()));
  }
  std::transform(layer_names.begin(), layer_names.end(), std::back_inserter(names_), escaped);
  const std::string board = escaped(options_.board);
  event_bytes_ = fixed_bytes + board.size();
  for (const std::string& name : names_)
    event_bytes_ = std::max(event_bytes_, fixed_bytes + 2 * name.size());
  text_.reserve(event_bytes_);
  // No space after the brace: Perfetto recognises the format by the first two characters.
  text_ << R"({"traceEvents":[)";
  begin_event() << R"({"ph":"M","pid":1,"name":"process_name","args":{"name":")" << board << R"("}})";
  add_track(true);
  add_track(false);
}

void ChromeTrace::record(const Record& record) {
  check(record, plan_);
  if (summary_.cut()) {
    ++summary_.tasks_left_out;
    return;
  }
  const Slice slice{record.start_ns, record.end_ns, track_for(record)};
  const std::span<const Dependencies::Arrow> arrows = dependencies_.finished(record.task, slice);
  const auto forward = [&](const Dependencies::Arrow& arrow) { return arrow.from.end_ns <= slice.start_ns; };
  const auto drawn = static_cast<std::uint64_t>(std::count_if(arrows.begin(), arrows.end(), forward));
  if (!take(1 + 2 * drawn)) {
    ++summary_.tasks_left_out;
    return;
  }
  write_slice(record, slice.track);
  for (const Dependencies::Arrow& arrow : arrows) {
    if (forward(arrow)) write_arrow(arrow, slice);
  }
  ++summary_.tasks;
  summary_.broken_dependencies += arrows.size() - drawn;
  summary_.last_end_ns = std::max(summary_.last_end_ns, record.end_ns);
  flush_if_large();
}

void ChromeTrace::pools(const PoolLevels& levels) {
  if (pending_levels_ && pending_levels_->time_ns != levels.time_ns) write_pending_levels();
  pending_levels_ = levels;
}

ChromeTraceSummary ChromeTrace::finish() {
  if (pending_levels_) write_pending_levels();
  if (summary_.cut()) {
    begin_event() << R"({"ph":"i","pid":1,"tid":1,"s":"g","ts":)" << Microseconds{summary_.last_end_ns}
                  << R"(,"name":"trace cut: )" << summary_.tasks_left_out << R"( tasks left out"})";
  }
  // Drivers count the buffers of a shared pool as input.
  const core::Pools& pools = plan_.pools;
  const core::Pools sizes = pools.shared ? core::Pools{static_cast<std::uint16_t>(pools.total()), 0, 0, true} : pools;
  text_.reserve(event_bytes_);
  text_ << "\n"
        << R"(],"displayTimeUnit":"ms","otherData":{"frames":)" << plan_.frames << R"(,"buffer_bytes":)"
        << plan_.buffer_bytes << R"(,"input_buffers":)" << sizes.input << R"(,"weights_buffers":)" << sizes.weights
        << R"(,"output_buffers":)" << sizes.output << R"(,"tasks":)" << summary_.tasks << R"(,"dependencies":)"
        << summary_.dependencies << R"(,"broken_dependencies":)" << summary_.broken_dependencies
        << R"(,"tasks_left_out":)" << summary_.tasks_left_out << R"(,"last_end_ns":)" << summary_.last_end_ns << "}}\n";
  file_.write(text_.view());
  text_.clear();
  file_.commit();
  return summary_;
}

/// The first track of the task's resource that is free by its start.
std::uint32_t ChromeTrace::track_for(const Record& record) {
  const bool io = core::is_io(record.task.kind);
  std::size_t index = 0;
  while (index < tracks_.size() && (tracks_[index].io != io || tracks_[index].end_ns > record.start_ns))
    ++index;
  if (index == tracks_.size()) add_track(io);
  tracks_[index].end_ns = record.end_ns;
  return static_cast<std::uint32_t>(index + 1);
}

void ChromeTrace::add_track(bool io) {
  const auto same = std::count_if(tracks_.begin(), tracks_.end(), [&](const Track& track) { return track.io == io; });
  tracks_.push_back({io, 0});
  const std::size_t number = tracks_.size();
  begin_event() << R"({"ph":"M","pid":1,"tid":)" << number << R"(,"name":"thread_name","args":{"name":")"
                << (io ? "IO (SD card)" : "CPU") << (same > 0 ? " " + std::to_string(same + 1) : "") << R"("}})";
  begin_event() << R"({"ph":"M","pid":1,"tid":)" << number << R"(,"name":"thread_sort_index","args":{"sort_index":)"
                << number << "}}";
}

/// Counts events that belong together, unless they exceed the limit.
bool ChromeTrace::take(std::uint64_t events) {
  if (summary_.cut() || events > options_.max_events - summary_.events) return false;
  summary_.events += events;
  return true;
}

void ChromeTrace::write_slice(const Record& record, std::uint32_t track) {
  const core::Task& task = record.task;
  const std::string& layer = names_[task.layer];
  begin_event() << R"({"ph":"X","pid":1,"tid":)" << track << R"(,"ts":)" << Microseconds{record.start_ns}
                << R"(,"dur":)" << Microseconds{record.end_ns - record.start_ns} << R"(,"name":")" << layer << " "
                << short_name(task.kind);
  if (task.kind != core::TaskKind::write_output) text_ << " " << task.index;
  text_ << R"(","args":{"frame":)" << task.frame << R"(,"layer":")" << layer << R"(","tile":)" << task.tile
        << R"(,"index":)" << task.index << R"(,"bytes":)" << record.bytes << R"(,"kind":")"
        << trace::to_string(task.kind) << R"("}})";
}

void ChromeTrace::write_arrow(const Dependencies::Arrow& arrow, const Slice& to) {
  const std::uint64_t id = ++summary_.dependencies;
  const auto write_end = [&](std::string_view phase, std::uint32_t track, std::uint64_t time_ns) {
    begin_event() << R"({"ph":")" << phase << R"(","pid":1,"tid":)" << track << R"(,"ts":)" << Microseconds{time_ns}
                  << R"(,"id":)" << id << R"(,"cat":"dependency","name":")" << to_string(arrow.kind);
  };
  write_end("s", arrow.from.track, last_instant(arrow.from));
  text_ << R"("})";
  write_end("f", to.track, to.start_ns);
  // Binding point "e" is the enclosing slice; without it an arrow ends at the next slice.
  text_ << R"(","bp":"e"})";
}

void ChromeTrace::write_pending_levels() {
  const PoolLevels levels = *pending_levels_;
  pending_levels_.reset();
  const auto numbers = [](const PoolLevels& pools) { return std::array{pools.input, pools.weights, pools.output}; };
  if (written_levels_ && numbers(*written_levels_) == numbers(levels)) return;
  if (!take(1)) {
    ++summary_.levels_left_out;
    return;
  }
  written_levels_ = levels;
  begin_event() << R"({"ph":"C","pid":1,"ts":)" << Microseconds{levels.time_ns}
                << R"(,"name":"buffers in use","args":{"input":)" << levels.input << R"(,"weights":)" << levels.weights
                << R"(,"output":)" << levels.output << "}}";
}

EventText& ChromeTrace::begin_event() {
  text_.reserve(event_bytes_);
  text_ << (first_event_ ? "\n" : ",\n");
  first_event_ = false;
  return text_;
}

void ChromeTrace::flush_if_large() {
  if (text_.view().size() < flush_bytes) return;
  file_.write(text_.view());
  text_.clear();
}

}  // namespace spillway::trace
