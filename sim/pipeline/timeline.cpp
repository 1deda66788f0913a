#include "sim/pipeline/timeline.hpp"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "sim/trace/output_file.hpp"

namespace spillway::pipeline {
namespace {

using nlohmann::ordered_json;

double microseconds(std::uint64_t ns) {
  return static_cast<double>(ns) / 1000;
}

/// What a slice of the timeline is called; `of` is a layer or a tensor.
std::string title(const Operation& operation, const std::string& of) {
  switch (operation.kind) {
    case Operation::Kind::compute:
      return of;
    case Operation::Kind::call:
      return "MPI " + of;
    case Operation::Kind::wait:
      return "wait for " + of;
    case Operation::Kind::reserve:
      return "wait to send " + of;
    default:
      return "wait for the frame's sends";
  }
}

std::string_view category(Operation::Kind kind) {
  if (kind == Operation::Kind::compute) return "compute";
  return kind == Operation::Kind::call ? "mpi" : "wait";
}

/// One event a line.
class EventFile {
 public:
  explicit EventFile(const std::filesystem::path& path) : file_(path) { text_ = R"({"traceEvents":[)"; }

  void add(const ordered_json& event) {
    text_ += first_ ? "\n" : ",\n";
    first_ = false;
    text_ += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
    if (text_.size() > flush_bytes) flush();
  }

  void commit() {
    text_ += "\n],\"displayTimeUnit\":\"ms\"}\n";
    flush();
    file_.commit();
  }

 private:
  static constexpr std::size_t flush_bytes = std::size_t{1} << 20;

  void flush() {
    file_.write(text_);
    text_.clear();
  }

  trace::OutputFile file_;
  std::string text_;
  bool first_ = true;
};

void add_names(EventFile& file, const Program& program, const Machine& machine) {
  const auto name = [&](std::size_t process, std::size_t thread, std::string_view what, const std::string& text) {
    file.add({{"ph", "M"}, {"pid", process}, {"tid", thread}, {"name", what}, {"args", {{"name", text}}}});
  };
  for (Rank rank = 0; rank < program.ranks.size(); ++rank) {
    const Placement& placement = program.ranks[rank].placement;
    name(placement.device + 1, rank + 1, "process_name", machine.devices[placement.device].name);
    name(placement.device + 1, rank + 1, "thread_name",
         fmt::format(
             "rank {} ({})", rank,
             placement.gpu ? "GPU" : fmt::format("{} core{}", placement.threads, placement.threads > 1 ? "s" : "")));
  }
}

}  // namespace

void Timeline::arrived(std::uint32_t message, std::uint64_t frame, std::uint64_t now_ns) {
  const auto transfer = std::find_if(transfers_.rbegin(), transfers_.rend(), [&](const Transfer& candidate) {
    return candidate.message == message && candidate.frame == frame;
  });
  if (transfer != transfers_.rend()) transfer->arrived_ns = now_ns;
}

void write_chrome_trace(const std::filesystem::path& path, const Timeline& timeline, const Program& program,
                        const Machine& machine, const Workload& workload) {
  EventFile file(path);
  add_names(file, program, machine);
  const auto place = [&](Rank rank) { return program.ranks[rank].placement.device + 1; };
  for (const Timeline::Span& span : timeline.spans()) {
    file.add({{"ph", "X"},
              {"pid", place(span.rank)},
              {"tid", span.rank + 1},
              {"ts", microseconds(span.begin_ns)},
              {"dur", microseconds(span.end_ns - span.begin_ns)},
              {"name", title(span.operation, workload.name(span.operation.node))},
              {"cat", category(span.operation.kind)},
              {"args", {{"frame", span.frame}}}});
  }
  std::size_t id = 0;
  for (const Timeline::Transfer& transfer : timeline.transfers()) {
    const Message& message = program.messages[transfer.message];
    const auto end = [&](std::string_view phase, Rank rank, std::uint64_t time_ns) {
      ordered_json event = {{"ph", phase},
                            {"pid", place(rank)},
                            {"tid", rank + 1},
                            {"ts", microseconds(time_ns)},
                            {"id", id},
                            {"cat", "message"},
                            {"name", workload.name(message.node)},
                            {"args", {{"frame", transfer.frame}, {"bytes", message.bytes}}}};
      if (phase == "f") event["bp"] = "e";
      file.add(event);
    };
    ++id;
    end("s", message.source, transfer.sent_ns);
    end("f", message.destination, transfer.arrived_ns);
  }
  file.commit();
}

}  // namespace spillway::pipeline
