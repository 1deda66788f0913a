#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/request.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "sim/trace/chrome_trace.hpp"
#include "sim/trace/csv_trace.hpp"
#include "sim/trace/tee.hpp"
#include "sim/trace/wire_file.hpp"

namespace spillway::cli {

/// The options that ask for a run's schedule as a file, the same for every verb that runs a plan.
struct TraceOptions {
  std::optional<std::string> trace, trace_csv, trace_wire, trace_events;

  /// Adds --trace, --trace-events, --trace-csv and --trace-wire to a verb; the object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// Events after which the trace for Perfetto is cut; notes every mistake in `request`.
std::uint64_t read(const TraceOptions& options, Request& request);

/// The trace files that were asked for, as one sink.
class TraceFiles {
 public:
  /// All arguments must outlive it. Throws trace::FileError.
  TraceFiles(const TraceOptions& options, std::uint64_t trace_events, const tiling::SwapPlan& plan,
             const std::string& board);

  /// Null where nothing was asked for.
  trace::Sink* sink() { return tee_ ? &*tee_ : nullptr; }

  /// Completes the files and says what they hold.
  void finish();

 private:
  const TraceOptions& options_;
  std::optional<trace::ChromeTrace> chrome_;
  std::optional<trace::CsvTrace> csv_;
  std::optional<trace::WireFile> wire_;
  std::optional<trace::Tee> tee_;
};

}  // namespace spillway::cli
