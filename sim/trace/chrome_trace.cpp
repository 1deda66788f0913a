#include "sim/trace/chrome_trace.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <span>
#include <stdexcept>
#include <utility>

#include <fmt/compile.h>
#include <nlohmann/json.hpp>

#include "sim/trace/names.hpp"

namespace spillway::trace {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;

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

/// Microseconds in two halves: whole ones, and the thousandths that "{}.{:03}" takes.
struct Microseconds {
  explicit Microseconds(std::uint64_t nanoseconds) : whole(nanoseconds / 1000), thousandths(nanoseconds % 1000) {}

  std::uint64_t whole, thousandths;
};

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
  // No space after the brace: Perfetto recognises the format by the first two characters.
  fmt::format_to(std::back_inserter(buffer_), R"({{"traceEvents":[)");
  begin_event();
  fmt::format_to(std::back_inserter(buffer_), R"({{"ph":"M","pid":1,"name":"process_name","args":{{"name":"{}"}}}})",
                 escaped(options_.board));
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
  const Microseconds end(summary_.last_end_ns);
  if (summary_.cut()) {
    begin_event();
    fmt::format_to(fmt::appender(buffer_),
                   R"({{"ph":"i","pid":1,"tid":1,"s":"g","ts":{}.{:03},"name":"trace cut: {} tasks left out"}})",
                   end.whole, end.thousandths, summary_.tasks_left_out);
  }
  fmt::format_to(
      fmt::appender(buffer_),
      "\n],\"displayTimeUnit\":\"ms\",\"otherData\":{{\"frames\":{},\"buffer_bytes\":{},\"input_buffers\":{},"
      "\"weights_buffers\":{},\"output_buffers\":{},\"tasks\":{},\"dependencies\":{},"
      "\"broken_dependencies\":{},\"tasks_left_out\":{},\"last_end_ns\":{}}}}}\n",
      plan_.frames, plan_.buffer_bytes, plan_.pools.input, plan_.pools.weights, plan_.pools.output, summary_.tasks,
      summary_.dependencies, summary_.broken_dependencies, summary_.tasks_left_out, summary_.last_end_ns);
  file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
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
  begin_event();
  fmt::format_to(fmt::appender(buffer_),
                 R"({{"ph":"M","pid":1,"tid":{},"name":"thread_name","args":{{"name":"{}{}"}}}})", number,
                 io ? "IO (SD card)" : "CPU", same > 0 ? fmt::format(" {}", same + 1) : std::string());
  begin_event();
  fmt::format_to(fmt::appender(buffer_),
                 R"({{"ph":"M","pid":1,"tid":{0},"name":"thread_sort_index","args":{{"sort_index":{0}}}}})", number);
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
  const Microseconds start(record.start_ns), duration(record.end_ns - record.start_ns);
  begin_event();
  fmt::format_to(fmt::appender(buffer_),
                 FMT_COMPILE(R"({{"ph":"X","pid":1,"tid":{},"ts":{}.{:03},"dur":{}.{:03},"name":"{} {})"), track,
                 start.whole, start.thousandths, duration.whole, duration.thousandths, layer, short_name(task.kind));
  if (task.kind != core::TaskKind::write_output) {
    fmt::format_to(fmt::appender(buffer_), FMT_COMPILE(" {}"), task.index);
  }
  fmt::format_to(fmt::appender(buffer_),
                 FMT_COMPILE(R"(","args":{{"frame":{},"layer":"{}","tile":{},"index":{},"bytes":{},"kind":"{}"}}}})"),
                 task.frame, layer, task.tile, task.index, record.bytes, trace::to_string(task.kind));
}

void ChromeTrace::write_arrow(const Dependencies::Arrow& arrow, const Slice& to) {
  const std::uint64_t id = ++summary_.dependencies;
  const Microseconds from_time(last_instant(arrow.from)), to_time(to.start_ns);
  const std::string_view name = to_string(arrow.kind);
  constexpr auto format =
      FMT_COMPILE(R"({{"ph":"{}","pid":1,"tid":{},"ts":{}.{:03},"id":{},"cat":"dependency","name":"{}"{}}})");
  begin_event();
  fmt::format_to(fmt::appender(buffer_), format, 's', arrow.from.track, from_time.whole, from_time.thousandths, id,
                 name, "");
  begin_event();
  // Binding point "e", the enclosing slice; without it an arrow ends at the next slice.
  fmt::format_to(fmt::appender(buffer_), format, 'f', to.track, to_time.whole, to_time.thousandths, id, name,
                 R"(,"bp":"e")");
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
  const Microseconds time(levels.time_ns);
  begin_event();
  fmt::format_to(
      fmt::appender(buffer_),
      FMT_COMPILE(
          R"({{"ph":"C","pid":1,"ts":{}.{:03},"name":"buffers in use","args":{{"input":{},"weights":{},"output":{}}}}})"),
      time.whole, time.thousandths, levels.input, levels.weights, levels.output);
}

void ChromeTrace::begin_event() {
  if (!first_event_) buffer_.push_back(',');
  first_event_ = false;
  buffer_.push_back('\n');
}

void ChromeTrace::flush_if_large() {
  if (buffer_.size() < flush_bytes) return;
  file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

}  // namespace spillway::trace
