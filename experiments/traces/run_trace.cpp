#include "experiments/traces/run_trace.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>
#include <utility>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/trace/csv_trace.hpp"
#include "sim/trace/input_file.hpp"
#include "sim/trace/names.hpp"

namespace spillway::traces {
namespace {

constexpr std::size_t most_errors = 20;

/// A frame on a serial line ends with a zero byte, and a text has none.
bool is_wire(const std::string& bytes) {
  return bytes.find('\0') != std::string::npos;
}

void read_wire(const std::string& bytes, RunTrace& run) {
  const auto* const data = reinterpret_cast<const std::uint8_t*>(bytes.data());
  const trace::WireTrace wire = trace::parse_wire_trace(std::span(data, bytes.size()));
  run.start = wire.start;
  run.end = wire.end;
  run.line = wire.statistics;
  run.serial_waits = wire.value("serial_waits").value_or(0);
  for (const trace::WireMessage& message : wire.messages) {
    if (std::holds_alternative<trace::Started>(message)) run.records.clear();
    if (const auto* const record = std::get_if<trace::Record>(&message)) run.records.push_back(*record);
  }
}

std::uint64_t in_nanoseconds(std::uint64_t cycles, double hz) {
  return static_cast<std::uint64_t>(std::llround(static_cast<double>(cycles) * 1e9 / hz));
}

std::vector<std::string> problems_of(const RunTrace& run) {
  std::vector<std::string> problems;
  if (run.records.empty()) {
    problems.push_back(fmt::format(
        "{}: no task in it{}", run.name,
        run.line.damaged_frames > 0 ? fmt::format("; {} bytes of damaged frames", run.line.damaged_bytes) : ""));
  }
  std::vector<const trace::Record*> sorted;
  for (const trace::Record& record : run.records) {
    if (record.end_ns < record.start_ns)
      problems.push_back(fmt::format("{}: {} ends before it starts", run.name, describe(record.task, run)));
    sorted.push_back(&record);
  }
  const auto before = [](const trace::Record* a, const trace::Record* b) { return TaskOrder()(a->task, b->task); };
  std::ranges::stable_sort(sorted, before);
  for (std::size_t i = 1; i < sorted.size(); ++i) {
    if (sorted[i - 1]->task == sorted[i]->task)
      problems.push_back(fmt::format("{}: {} is there twice", run.name, describe(sorted[i]->task, run)));
  }
  if (problems.size() > most_errors) {
    const std::size_t more = problems.size() - most_errors;
    problems.resize(most_errors);
    problems.push_back(fmt::format("{}: {} more errors", run.name, more));
  }
  return problems;
}

}  // namespace

TraceError::TraceError(std::vector<std::string> found)
    : std::runtime_error(fmt::format("{}", fmt::join(found, "\n"))), errors(std::move(found)) {}

std::string RunTrace::layer_name(std::uint16_t layer) const {
  if (layer < layer_names.size() && !layer_names[layer].empty()) return layer_names[layer];
  return std::to_string(layer);
}

RunTrace read_run(const std::filesystem::path& path, std::optional<double> cycles_hz) {
  RunTrace run;
  run.name = path.string();
  const std::string bytes = trace::read_file(path);
  if (is_wire(bytes)) {
    read_wire(bytes, run);
  } else {
    try {
      trace::CsvRecords csv = trace::parse_csv_trace(bytes, run.name);
      run.records = std::move(csv.records);
      run.layer_names = std::move(csv.layer_names);
    } catch (const trace::CsvError& error) {
      throw TraceError(error.errors);
    }
  }
  if (std::vector<std::string> problems = problems_of(run); !problems.empty()) throw TraceError(std::move(problems));
  if (cycles_hz) {
    for (trace::Record& record : run.records) {
      record.start_ns = in_nanoseconds(record.start_ns, *cycles_hz);
      record.end_ns = in_nanoseconds(record.end_ns, *cycles_hz);
    }
  }
  // By end as well: of two tasks of no length that begin together, the first to end was the first to be selected.
  std::ranges::stable_sort(run.records, [](const trace::Record& a, const trace::Record& b) {
    return std::tuple(a.start_ns, !core::is_io(a.task.kind), a.end_ns) <
           std::tuple(b.start_ns, !core::is_io(b.task.kind), b.end_ns);
  });
  return run;
}

std::string describe(const core::Task& task, const RunTrace& run) {
  const std::string name = run.layer_name(task.layer);
  const bool named = name != std::to_string(task.layer);
  return fmt::format("{}{} of layer {}{}, tile {}, frame {}", trace::to_string(task.kind),
                     task.kind == core::TaskKind::write_output ? "" : fmt::format(" {}", task.index), task.layer,
                     named ? fmt::format(" ({})", name) : "", task.tile, task.frame);
}

bool TaskOrder::operator()(const core::Task& a, const core::Task& b) const {
  return std::tuple(a.frame, a.layer, a.tile, a.kind, a.index) < std::tuple(b.frame, b.layer, b.tile, b.kind, b.index);
}

}  // namespace spillway::traces
