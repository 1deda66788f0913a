#include "experiments/metrics.hpp"

#include <algorithm>
#include <iterator>

#include "sim/core/task.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/energy_benchmark.hpp"
#include "sim/swap/wear.hpp"
#include "sim/tiling/counts.hpp"

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

swap::Lifetime lifetime(const Run& run) {
  return swap::lifetime_of(run.daily_writes.value_or(swap::writes_of(run.result).day_bytes), run.card, run.endurance);
}

swap::EnergyBenchmarkResult benchmark(const Run& run) {
  return swap::run_energy_benchmark(run.board, run.card);
}

/// How many layers with weights fulfil a condition.
template <typename Condition>
std::uint64_t layers_that(const Run& run, Condition condition) {
  return static_cast<std::uint64_t>(std::ranges::count_if(run.counted_layers, condition));
}

template <Bound bound>
Optional layers_always(const Run& run) {
  return layers_that(run, [](const CountedLayer& layer) { return layer.intensity.over_published_range() == bound; });
}

/// Over the bytes of each tensor moved once, what a frame moves; `counts` says which layers take part.
template <typename Counts>
double traffic_ratio(const Run& run, Counts counts) {
  const core::Plan plan = run.plan.view();
  tiling::Traffic moved, once;
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    if (!counts(plan.layers[row])) continue;
    moved += tiling::traffic(plan, static_cast<core::LayerIndex>(row));
    once += tiling::tensors_once(plan, static_cast<core::LayerIndex>(row));
  }
  return static_cast<double>(moved.bytes()) / static_cast<double>(once.bytes());
}

BoundTimes bound_times(const Run& run) {
  return times_by_bound(run.counted_layers, run.plan, run.card);
}

/// A metric and how it follows from a run; nothing: not defined for this run.
struct Measured : Metric {
  Optional (*of)(const Run&);
};

constexpr Measured all[] = {
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
    {"moved_bytes_per_frame", Unit::bytes, "(read_bytes + written_bytes) / frames",
     [](const Run& run) -> Optional { return per_frame(run.result.bytes_read() + run.result.bytes_written(), run); }},
    {"least_bytes_per_frame", Unit::bytes, "input, weights and output of every layer, each once",
     [](const Run& run) -> Optional { return tiling::tensors_once(run.plan.view()).bytes(); }},
    {"traffic_ratio", Unit::ratio, "moved_bytes_per_frame / least_bytes_per_frame",
     [](const Run& run) -> Optional { return traffic_ratio(run, [](const core::Layer&) { return true; }); }},
    {"traffic_ratio_without_dense", Unit::ratio, "traffic_ratio of all layers but the dense ones",
     [](const Run& run) -> Optional {
       return traffic_ratio(run, [](const core::Layer& layer) { return layer.work_class != core::WorkClass::dense; });
     }},
    {"energy_j", Unit::joules, "idle power x (makespan_s - compute_s) + compute power x compute_s + card power x io_s",
     [](const Run& run) -> Optional { return energy(run); }},
    {"energy_per_frame_j", Unit::joules, "energy_j / frames",
     [](const Run& run) -> Optional { return energy(run) / frames(run); }},
    {"in_core_energy_per_frame_j", Unit::joules,
     "compute power x compute time of one frame without contention: a device whose memory holds the network",
     [](const Run& run) -> Optional { return in_core_energy(run); }},
    {"energy_ratio", Unit::ratio, "energy_per_frame_j / in_core_energy_per_frame_j",
     [](const Run& run) -> Optional { return energy(run) / frames(run) / in_core_energy(run); }},
    {"written_bytes_per_frame", Unit::bytes, "written_bytes / frames",
     [](const Run& run) -> Optional { return per_frame(run.result.bytes_written(), run); }},
    {"first_cell_low_years", Unit::years, "bytes at the endurance test's first failure, by capacity / bytes of a year",
     [](const Run& run) -> Optional { return lifetime(run).first_cell_low_years; }},
    {"first_cell_high_years", Unit::years, "bytes at the endurance test's last failure, by capacity / bytes of a year",
     [](const Run& run) -> Optional { return lifetime(run).first_cell_high_years; }},
    {"half_cells_years", Unit::years, "capacity x endurance / 2 / bytes of a year",
     [](const Run& run) -> Optional { return lifetime(run).half_cells_years; }},
    {"benchmark_in_core_s", Unit::seconds, "energy benchmark of board and card: 1,000 iterations of 178 ms",
     [](const Run& run) -> Optional { return benchmark(run).in_core.time_s; }},
    {"benchmark_in_core_j", Unit::joules, "its energy",
     [](const Run& run) -> Optional { return benchmark(run).in_core.energy_j; }},
    {"benchmark_out_of_core_s", Unit::seconds, "the same while the card is written all the time",
     [](const Run& run) -> Optional { return benchmark(run).out_of_core.time_s; }},
    {"benchmark_out_of_core_j", Unit::joules, "its energy",
     [](const Run& run) -> Optional { return benchmark(run).out_of_core.energy_j; }},
    {"benchmark_energy_ratio", Unit::ratio, "benchmark_out_of_core_j / benchmark_in_core_j",
     [](const Run& run) -> Optional { return benchmark(run).energy_ratio(); }},
    {"compute_bound_layers", Unit::ratio, "layers with weights whose compute time is above that of moving them once",
     [](const Run& run) -> Optional {
       return layers_that(run, [](const CountedLayer& layer) { return layer.intensity.compute_bound(); });
     }},
    {"io_bound_layers", Unit::ratio, "the other layers with weights",
     [](const Run& run) -> Optional {
       return layers_that(run, [](const CountedLayer& layer) { return !layer.intensity.compute_bound(); });
     }},
    {"io_bound_convolutions", Unit::ratio, "io_bound_layers that are not dense",
     [](const Run& run) -> Optional {
       return layers_that(run, [](const CountedLayer& layer) {
         return !layer.intensity.compute_bound() && layer.work_class != core::WorkClass::dense;
       });
     }},
    {"always_compute_bound_layers", Unit::ratio, "compute-bound with 64 to 480 MOPS and 10 to 40 MB/s",
     layers_always<Bound::compute>},
    {"always_io_bound_layers", Unit::ratio, "IO-bound over the same range", layers_always<Bound::io>},
    {"depending_layers", Unit::ratio, "neither of these two", layers_always<Bound::depends>},
    {"compute_bound_compute_s", Unit::seconds, "compute time of a frame's compute-bound layers",
     [](const Run& run) -> Optional { return bound_times(run).compute_bound_compute_s; }},
    {"compute_bound_io_s", Unit::seconds, "IO time of a frame's compute-bound layers as they were cut",
     [](const Run& run) -> Optional { return bound_times(run).compute_bound_io_s; }},
    {"io_bound_compute_s", Unit::seconds, "compute time of a frame's IO-bound layers",
     [](const Run& run) -> Optional { return bound_times(run).io_bound_compute_s; }},
    {"io_bound_io_s", Unit::seconds, "IO time of a frame's IO-bound layers as they were cut",
     [](const Run& run) -> Optional { return bound_times(run).io_bound_io_s; }},
    {"io_bound_io_share", Unit::ratio, "io_bound_io_s / (io_bound_io_s + compute_bound_compute_s)",
     [](const Run& run) -> Optional {
       const BoundTimes times = bound_times(run);
       return times.io_bound_io_s / (times.io_bound_io_s + times.compute_bound_compute_s);
     }},
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
  static const std::vector<Metric> columns(std::begin(all), std::end(all));
  return columns;
}

std::vector<Optional> measure(const Run& run) {
  std::vector<Optional> values;
  for (const Measured& metric : all)
    values.push_back(metric.of(run));
  return values;
}

}  // namespace spillway::experiments
