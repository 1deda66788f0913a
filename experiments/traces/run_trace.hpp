#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/trace/record.hpp"
#include "sim/trace/wire_reader.hpp"

/// Traces of runs, simulated and measured: read, compared, and what a board's and card's figures must be.
namespace spillway::traces {

/// Everything that keeps a file from being a trace; one line each.
class TraceError : public std::runtime_error {
 public:
  explicit TraceError(std::vector<std::string> found);

  std::vector<std::string> errors;
};

/// One run, whatever the format of its file.
struct RunTrace {
  std::string name;                      ///< of the file
  std::vector<trace::Record> records;    ///< in the order of their start; of one start IO before compute
  std::vector<std::string> layer_names;  ///< by layer; empty where the format has none
  std::optional<trace::Started> start;   ///< of a board's trace
  std::optional<trace::EndMessage> end;
  trace::WireStatistics line;  ///< of a board's trace: what was lost on the way
  /// Times that the board waited for the serial line: the trace then slowed down what it shows.
  std::uint64_t serial_waits = 0;

  /// The layer's name, or its number where the trace has no names.
  std::string layer_name(std::uint16_t layer) const;
};

/// Reads CSV or the bytes of a serial line, by the file's first bytes. Of a board that began again the last run counts.
/// With `cycles_hz` the file's times are not nanoseconds but cycles of a clock of that frequency.
/// Throws trace::FileError, and TraceError: everything that is wrong with a CSV file, no tasks, a task that ends before
/// it starts or is there twice.
RunTrace read_run(const std::filesystem::path& path, std::optional<double> cycles_hz = std::nullopt);

/// `read_weights 3 of layer 2 (conv1), tile 5, frame 0`.
std::string describe(const core::Task& task, const RunTrace& run);

/// `frame:layer:tile:kind:index`, as one number that orders tasks as the core does.
struct TaskOrder {
  bool operator()(const core::Task& a, const core::Task& b) const;
};

}  // namespace spillway::traces
