#include "sim/pipeline/simulate.hpp"

#include <algorithm>
#include <stdexcept>

#include "sim/pipeline/drivers.hpp"

namespace spillway::pipeline {
namespace {

constexpr double seconds_in_ns = 1e-9;

/// Over the frames behind the first `warm_up`.
void set_rates(Result& result, std::uint64_t warm_up) {
  const Run& run = result.run;
  result.period_s = period_s(run, warm_up);
  result.throughput_per_s = 1 / result.period_s;
  double latencies_s = 0;
  for (std::uint64_t frame = warm_up; frame < run.frame_done_ns.size(); ++frame)
    latencies_s += static_cast<double>(run.frame_done_ns[frame] - run.frame_begin_ns[frame]) * seconds_in_ns;
  result.latency_s = latencies_s / static_cast<double>(run.frame_done_ns.size() - warm_up);
}

}  // namespace

double period_s(const Run& run, std::uint64_t warm_up) {
  const std::uint64_t measured = run.frame_done_ns.size() - warm_up;
  const std::uint64_t from = warm_up == 0 ? 0 : run.frame_done_ns[warm_up - 1];
  return static_cast<double>(run.frame_done_ns.back() - from) * seconds_in_ns / static_cast<double>(measured);
}

double Result::highest_energy_per_frame_j() const {
  return *std::ranges::max_element(energy_per_frame_j);
}

std::uint64_t Result::highest_memory() const {
  return *std::ranges::max_element(device_memory);
}

Result Simulator::operator()(std::span<const Rank> rank_of_node, std::span<const Placement> placements,
                             const Options& options) {
  if (options.frames == 0) throw std::invalid_argument("a pipeline needs at least one measured frame");
  program_ = &maker_.make(rank_of_node, placements,
                          {options.communication, options.every_layer, options.progress, options.wait == Wait::sleep});
  const std::uint64_t frames = options.warm_up + options.frames;
  const auto run = options.driver == Driver::virtual_clock ? run_virtual_clock : run_simgrid;
  Result result;
  result.run = run(*program_, machine_, frames, options.timeline);
  set_rates(result, options.warm_up);
  result.energy = energy_of(result.run, *program_, machine_, options.wait);
  for (const DeviceEnergy& energy : result.energy)
    result.energy_per_frame_j.push_back(energy.total_j() / static_cast<double>(frames));
  result.rank_memory = memory_of(*program_, maker_.owners(), workload_, machine_);
  result.device_memory.assign(machine_.devices.size(), 0);
  for (Rank rank = 0; rank < result.rank_memory.size(); ++rank)
    result.device_memory[placements[rank].device] += result.rank_memory[rank].total();
  result.traffic = traffic_of(*program_, machine_);
  return result;
}

}  // namespace spillway::pipeline
