#include "experiments/metrics.hpp"

#include "sim/core/task.hpp"
#include "sim/swap/energy.hpp"

namespace spillway::experiments {
namespace {

using platforms::Unit;
using Optional = std::optional<Value>;

constexpr double seconds_per_day = 86400;

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

double frames(const Run& run) {
  return static_cast<double>(run.result.frame_done_ns.size());
}

/// A count of the whole run for one frame: a whole number where it is one.
Value per_frame(std::uint64_t total, const Run& run) {
  const std::uint64_t count = run.result.frame_done_ns.size();
  if (total % count == 0) return total / count;
  return static_cast<double>(total) / static_cast<double>(count);
}

std::uint64_t tasks(const Run& run, core::TaskKind kind) {
  return run.result.tasks[static_cast<std::size_t>(kind)];
}
std::uint64_t bytes(const Run& run, core::TaskKind kind) {
  return run.result.bytes[static_cast<std::size_t>(kind)];
}

Optional steady_period(const Run& run) {
  const auto& done = run.result.frame_done_ns;
  if (done.size() < 2) return std::nullopt;
  return seconds(done.back() - done.front()) / static_cast<double>(done.size() - 1);
}

double energy(const Run& run) {
  return swap::energy_of(run.result, run.board, run.card).total_j();
}

double in_core_energy(const Run& run) {
  return swap::in_core_energy_j(run.in_core_compute_s, run.board);
}

constexpr Metric all[] = {
    {"latency_s", Unit::seconds, "time from the start to the end of the first frame's last task",
     [](const Run& run) -> Optional { return seconds(run.result.frame_done_ns.front()); }},
    {"makespan_s", Unit::seconds, "time from the start to the end of the last task of all frames",
     [](const Run& run) -> Optional { return seconds(run.result.makespan_ns); }},
    {"throughput_fps", Unit::hertz, "frames / makespan_s",
     [](const Run& run) -> Optional { return frames(run) / seconds(run.result.makespan_ns); }},
    {"steady_period_s", Unit::seconds, "(end of last frame - end of first frame) / (frames - 1); empty for one frame",
     steady_period},
    {"io_s", Unit::seconds, "time in which the card works, summed over all IO tasks",
     [](const Run& run) -> Optional { return seconds(run.result.io_busy_ns); }},
    {"io_per_frame_s", Unit::seconds, "io_s / frames",
     [](const Run& run) -> Optional { return seconds(run.result.io_busy_ns) / frames(run); }},
    {"compute_s", Unit::seconds, "time in which the CPU computes, contention included, summed over all compute tasks",
     [](const Run& run) -> Optional { return seconds(run.result.compute_busy_ns); }},
    {"hidden_io_s", Unit::seconds, "io_s + compute_s - makespan_s, at least 0: IO that ran while the CPU computed",
     [](const Run& run) -> Optional { return seconds(run.result.hidden_io_ns()); }},
    {"io_tasks", Unit::ratio, "read_input_tasks + read_weights_tasks + write_output_tasks",
     [](const Run& run) -> Optional { return run.result.io_tasks(); }},
    {"io_tasks_per_frame", Unit::ratio, "io_tasks / frames",
     [](const Run& run) -> Optional { return per_frame(run.result.io_tasks(), run); }},
    {"compute_tasks", Unit::ratio, "pairs of output tile and weight chunk, all frames",
     [](const Run& run) -> Optional { return run.result.compute_tasks(); }},
    {"compute_tasks_per_frame", Unit::ratio, "compute_tasks / frames",
     [](const Run& run) -> Optional { return per_frame(run.result.compute_tasks(), run); }},
    {"read_input_tasks", Unit::ratio, "parts of input tiles read, all frames",
     [](const Run& run) -> Optional { return tasks(run, core::TaskKind::read_input); }},
    {"read_weights_tasks", Unit::ratio, "weight chunks read, all frames",
     [](const Run& run) -> Optional { return tasks(run, core::TaskKind::read_weights); }},
    {"write_output_tasks", Unit::ratio, "output tiles written, all frames",
     [](const Run& run) -> Optional { return tasks(run, core::TaskKind::write_output); }},
    {"read_bytes", Unit::bytes, "read_input_bytes + read_weights_bytes",
     [](const Run& run) -> Optional { return run.result.bytes_read(); }},
    {"read_input_bytes", Unit::bytes, "input bytes read from the card, all frames",
     [](const Run& run) -> Optional { return bytes(run, core::TaskKind::read_input); }},
    {"read_weights_bytes", Unit::bytes, "weight bytes read from the card, all frames",
     [](const Run& run) -> Optional { return bytes(run, core::TaskKind::read_weights); }},
    {"written_bytes", Unit::bytes, "output bytes written to the card, all frames",
     [](const Run& run) -> Optional { return run.result.bytes_written(); }},
    {"written_bytes_per_day", Unit::bytes, "written_bytes / makespan_s x 86400: the device runs all day",
     [](const Run& run) -> Optional {
       return static_cast<double>(run.result.bytes_written()) / seconds(run.result.makespan_ns) * seconds_per_day;
     }},
    {"energy_j", Unit::joules, "idle power x (makespan_s - compute_s) + compute power x compute_s + card power x io_s",
     [](const Run& run) -> Optional { return energy(run); }},
    {"energy_per_frame_j", Unit::joules, "energy_j / frames",
     [](const Run& run) -> Optional { return energy(run) / frames(run); }},
    {"in_core_energy_per_frame_j", Unit::joules,
     "compute power x compute time of one frame without contention: a device whose memory holds the network",
     [](const Run& run) -> Optional { return in_core_energy(run); }},
    {"executable", Unit::ratio, "yes, or why firmware and runtime refuse the plan: it counts only",
     [](const Run& run) -> Optional {
       return run.plan.counting_only.empty() ? std::string("yes") : "no: " + run.plan.counting_only;
     }},
    {"buffers", Unit::ratio, "floor(sram_bytes / buffer_bytes)",
     [](const Run& run) -> Optional { return std::uint64_t{run.plan.pools.total()}; }},
    {"input_buffers", Unit::ratio, "floor(buffers / 4)",
     [](const Run& run) -> Optional { return std::uint64_t{run.plan.pools.input}; }},
    {"weight_buffers", Unit::ratio, "buffers - input_buffers - output_buffers",
     [](const Run& run) -> Optional { return std::uint64_t{run.plan.pools.weights}; }},
    {"output_buffers", Unit::ratio, "floor(buffers / 4)",
     [](const Run& run) -> Optional { return std::uint64_t{run.plan.pools.output}; }},
};

}  // namespace

std::span<const Metric> metrics() {
  return all;
}

}  // namespace spillway::experiments
