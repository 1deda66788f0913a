#include "experiments/cli/run_report.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "experiments/cli/largest.hpp"
#include "experiments/cli/table.hpp"
#include "platforms/units.hpp"
#include "sim/core/layout.hpp"
#include "sim/trace/names.hpp"

namespace spillway::cli {
namespace {

std::string milliseconds(std::uint64_t nanoseconds) {
  return fmt::format("{:.3f} ms", static_cast<double>(nanoseconds) / 1e6);
}

std::string kinds_table(const execution::RunResult& result) {
  Table table({{"kind", false}, {"tasks", true}, {"bytes", true}, {"time", true}, {"a task", true}});
  for (std::size_t kind = 0; kind < result.tasks.size(); ++kind) {
    const std::uint64_t tasks = result.tasks[kind];
    table.row({std::string(trace::to_string(trace::task_kinds[kind])), with_thousands(tasks),
               with_thousands(result.bytes[kind]), milliseconds(result.busy_ns[kind]),
               tasks == 0 ? "" : milliseconds(result.busy_ns[kind] / tasks)});
  }
  return table.text();
}

}  // namespace

std::string report(const tiling::SwapPlan& plan, const experiments::QuantizedRun& program,
                   const execution::RunResult& result, const std::string& input) {
  const core::Plan& view = program.plan();
  std::string text =
      report_line("plan", fmt::format("{}, rule {}, {} in {} buffers of {}", plan.network, to_string(plan.request.rule),
                                      platforms::format_bytes(plan.request.sram_bytes), view.pools.total(),
                                      platforms::format_bytes(view.buffer_bytes)));
  text += report_line("input", input);
  text += report_line(
      "card", fmt::format("{}; {} transfers",
                          platforms::format_bytes(std::uint64_t{program.image().map().sectors} * core::sector_bytes),
                          with_thousands(result.transfers)));
  const std::uint64_t io_ns = result.busy_ns[0] + result.busy_ns[1] + result.busy_ns[3];
  text += report_line("time", fmt::format("{}, {} a frame ({} frame{}, {} in flight)", milliseconds(result.makespan_ns),
                                          milliseconds(result.makespan_ns / view.frames), view.frames,
                                          view.frames == 1 ? "" : "s", view.window));
  text += report_line("busy", fmt::format("card {}, CPU {}", milliseconds(io_ns), milliseconds(result.busy_ns[2])));
  return text + "\n" + kinds_table(result) + "\n";
}

std::string report(std::string_view name, std::uint64_t foretold_ns, const execution::RunResult& result,
                   const std::string& how) {
  const double ratio = static_cast<double>(foretold_ns) / static_cast<double>(result.makespan_ns);
  return report_line(name, fmt::format("{} {}: {:+.1f} %", milliseconds(foretold_ns), how, (ratio - 1) * 100));
}

std::string report(const experiments::Verdict& verdict) {
  if (verdict.same())
    return report_line("result", fmt::format("equal to the network in one piece, bit for bit, in {} frame{}",
                                             verdict.frames, verdict.frames == 1 ? "" : "s"));
  return report_line(
      "result", fmt::format("differs from the network in one piece: {} of {} numbers, first in frame {}",
                            with_thousands(verdict.different), with_thousands(verdict.numbers), verdict.first_frame));
}

void print_top(const experiments::CardRun& card, std::size_t top) {
  if (top == 0) return;
  constexpr std::uint32_t most_shown = 10;
  for (std::uint32_t frame = 0; frame < std::min(most_shown, card.frames()); ++frame) {
    for (std::size_t output = 0; output < card.outputs(); ++output) {
      fmt::print("frame {:<6}{}\n", frame, largest_text(card.output(output, frame), top));
    }
  }
}

}  // namespace spillway::cli
