#include "experiments/cli/swap_report.hpp"

#include <cstddef>
#include <cstdint>
#include <string_view>

#include <fmt/format.h>

#include "experiments/cli/table.hpp"
#include "platforms/units.hpp"
#include "sim/swap/energy.hpp"

namespace spillway::cli {
namespace {

using experiments::Run;
using platforms::format_bytes;
using platforms::format_quantity;
using platforms::format_seconds;
using platforms::Unit;

std::string_view name_of(swap::Mode mode) {
  return mode == swap::Mode::parallel ? "parallel" : "sequential";
}
std::string_view name_of(swap::Driver driver) {
  return driver == swap::Driver::virtual_clock ? "virtual-clock" : "simgrid";
}
std::string_view name_of(core::Queue queue) {
  return queue == core::Queue::skip ? "skip" : "strict";
}

std::string counted(std::uint64_t count, std::string_view thing) {
  return fmt::format("{} {}{}", with_thousands(count), thing, count == 1 ? "" : "s");
}

std::string pools_text(const core::Pools& pools) {
  if (pools.shared) return "one pool";
  return fmt::format("{} input, {} weight, {} output", pools.input, pools.weights, pools.output);
}

std::string plan_text(const Run& run, const swap::Options& options) {
  const tiling::Request& request = run.plan.request;
  std::uint64_t tiles = 0;
  for (const core::Layer& layer : run.plan.layers)
    tiles += layer.tiles();
  std::string text = fmt::format("{} on {} with card {}\n\n", run.plan.network, run.board.name, run.card.name);
  text += report_line("plan", fmt::format("rule {}, {}: {}, {} a frame", tiling::to_string(request.rule),
                                          models::to_string(request.element), counted(run.plan.layers.size(), "layer"),
                                          counted(tiles, "output tile")));
  text += report_line("executable",
                      run.plan.counting_only.empty() ? "yes" : "no, it counts only: " + run.plan.counting_only);
  text += report_line(
      "buffers", fmt::format("{} of {} in {} of SRAM: {}", run.plan.pools.total(), format_bytes(request.buffer_bytes),
                             format_bytes(request.sram_bytes), pools_text(run.plan.pools)));
  text += report_line("run",
                      fmt::format("{}, {} in flight, {}, queue {}, contention {:.3g} %, driver {}",
                                  counted(request.frames, "frame"), run.plan.view().window, name_of(options.mode),
                                  name_of(request.queue), 100 * run.board.contention.value, name_of(options.driver)));
  return text + '\n';
}

std::string time_text(const Run& run) {
  const swap::Result& result = run.result;
  const double makespan_s = seconds(result.makespan_ns), io_s = seconds(result.io_busy_ns);
  const double compute_s = seconds(result.compute_busy_ns), hidden_s = seconds(result.hidden_io_ns());
  const auto& done = result.frame_done_ns;
  std::string text = report_line("latency", format_seconds(seconds(done.front())));
  std::string throughput = fmt::format("{:.3g} frames/s", static_cast<double>(done.size()) / makespan_s);
  if (done.size() > 1) {
    throughput += fmt::format(
        ": {} in {}, in the long run one every {}", counted(done.size(), "frame"), format_seconds(makespan_s),
        format_seconds(seconds(done.back() - done.front()) / static_cast<double>(done.size() - 1)));
  }
  text += report_line("throughput", throughput);
  text += report_line("compute", fmt::format("busy for {}, {:.1f} % of the time", format_seconds(compute_s),
                                             100 * compute_s / makespan_s));
  text += report_line("IO", fmt::format("busy for {}, {:.1f} % of the time; {} of it ({:.1f} %) hidden behind compute",
                                        format_seconds(io_s), 100 * io_s / makespan_s, format_seconds(hidden_s),
                                        100 * hidden_s / io_s));
  return text;
}

std::string work_text(const Run& run) {
  const swap::Result& result = run.result;
  const auto count = [&](core::TaskKind kind) { return with_thousands(result.tasks[static_cast<std::size_t>(kind)]); };
  const auto bytes = [&](core::TaskKind kind) { return format_bytes(result.bytes[static_cast<std::size_t>(kind)]); };
  using enum core::TaskKind;
  std::string text =
      report_line("tasks", fmt::format("{} IO ({} input reads, {} weight reads, {} output writes), {} compute",
                                       with_thousands(result.io_tasks()), count(read_input), count(read_weights),
                                       count(write_output), with_thousands(result.compute_tasks())));
  return text + report_line("bytes",
                            fmt::format("{} read ({} input, {} weights), {} written", format_bytes(result.bytes_read()),
                                        bytes(read_input), bytes(read_weights), format_bytes(result.bytes_written())));
}

std::string energy_text(const Run& run) {
  const auto frames = static_cast<double>(run.result.frame_done_ns.size());
  const swap::Energy energy = swap::energy_of(run.result, run.board, run.card);
  const double swapped = energy.total_j() / frames;
  const double in_core = swap::in_core_energy_j(run.in_core_compute_s, run.board);
  const auto joules = [frames](double value) { return format_quantity(value / frames, Unit::joules); };
  std::string text = report_line(
      "energy",
      fmt::format("{} a frame (idle {}, compute {}, card {}); in-core {}, so swapping costs {:+.1f} %",
                  joules(energy.total_j()), joules(energy.idle_j), joules(energy.compute_j), joules(energy.card_j),
                  format_quantity(in_core, Unit::joules), 100 * (swapped / in_core - 1)));
  const double written = static_cast<double>(run.result.bytes_written()) / seconds(run.result.makespan_ns) * 86400;
  return text + report_line("wear", fmt::format("{:.3g} GB written a day when it runs all day", written / 1e9));
}

}  // namespace

std::string for_people(const Run& run, const swap::Options& options) {
  const std::string plan = plan_text(run, options);
  return run.result.stalled ? plan + work_text(run) : plan + time_text(run) + work_text(run) + energy_text(run);
}

}  // namespace spillway::cli
