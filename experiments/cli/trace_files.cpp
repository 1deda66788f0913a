#include "experiments/cli/trace_files.hpp"

#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "experiments/cli/table.hpp"
#include "hw/swap/card_header.hpp"

namespace spillway::cli {
namespace {

// The viewer takes a few hundred MB of JSON; an event has about 130 bytes.
constexpr std::string_view default_trace_events = "1000000";
constexpr std::uint64_t most_trace_events = 1'000'000'000;

}  // namespace

void TraceOptions::add_to(CLI::App& verb) {
  verb.add_option("--trace", trace, "Writes the schedule for Perfetto (Chrome trace-event JSON)")->type_name("FILE");
  verb.add_option("--trace-events", trace_events, "Events after which the trace for Perfetto is cut [1000000]")
      ->type_name("N");
  verb.add_option("--trace-csv", trace_csv, "Writes the schedule as CSV")->type_name("FILE");
  verb.add_option("--trace-wire", trace_wire, "Writes the schedule as a board sends it (sim/trace/README.md)")
      ->type_name("FILE");
}

std::uint64_t read(const TraceOptions& options, Request& request) {
  if (options.trace) request.writable_file("--trace", *options.trace);
  const std::uint64_t events = request.number(
      "--trace-events", options.trace_events.value_or(std::string(default_trace_events)), 1, most_trace_events);
  if (options.trace_events && !options.trace) request.problem("--trace-events", "limits the trace of --trace FILE");
  if (options.trace_csv) request.writable_file("--trace-csv", *options.trace_csv);
  if (options.trace_wire) request.writable_file("--trace-wire", *options.trace_wire);
  return events;
}

TraceFiles::TraceFiles(const TraceOptions& options, std::uint64_t trace_events, const tiling::SwapPlan& plan,
                       const std::string& board)
    : options_(options) {
  std::vector<trace::Sink*> sinks;
  if (options.trace) {
    chrome_.emplace(*options.trace, plan.view(), plan.layer_names,
                    trace::ChromeTraceOptions{.max_events = trace_events, .board = board});
    sinks.push_back(&*chrome_);
  }
  if (options.trace_csv) {
    csv_.emplace(*options.trace_csv, plan.layer_names);
    sinks.push_back(&*csv_);
  }
  if (options.trace_wire) {
    const auto plan_hash = static_cast<std::uint32_t>(execution::hash_of(plan.view()));
    wire_.emplace(*options.trace_wire, trace::StartMessage{0, plan_hash, plan.network});
    sinks.push_back(&*wire_);
  }
  if (!sinks.empty()) tee_.emplace(sinks);
}

void TraceFiles::finish() {
  if (chrome_) {
    const trace::ChromeTraceSummary summary = chrome_->finish();
    fmt::print("trace       {}: {} tasks, {} dependencies; open it in Perfetto (ui.perfetto.dev)\n", *options_.trace,
               with_thousands(summary.tasks), with_thousands(summary.dependencies));
    if (summary.cut()) {
      fmt::print("            cut after {} events: the last {} tasks are left out; --trace-events sets the limit\n",
                 with_thousands(summary.events), with_thousands(summary.tasks_left_out));
    }
  }
  if (csv_) {
    csv_->finish();
    fmt::print("trace CSV   {}\n", *options_.trace_csv);
  }
  if (wire_) {
    wire_->finish();
    fmt::print("trace wire  {}\n", *options_.trace_wire);
  }
}

}  // namespace spillway::cli
