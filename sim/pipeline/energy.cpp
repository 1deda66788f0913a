#include "sim/pipeline/energy.hpp"

namespace spillway::pipeline {

std::vector<DeviceTraffic> traffic_of(const Program& program, const Machine& machine) {
  std::vector<DeviceTraffic> traffic(machine.devices.size());
  for (const Message& message : program.messages) {
    const std::size_t from = program.ranks[message.source].placement.device;
    const std::size_t to = program.ranks[message.destination].placement.device;
    if (from == to) continue;
    traffic[from].sent += message.bytes;
    traffic[to].received += message.bytes;
  }
  return traffic;
}

std::vector<DeviceEnergy> energy_of(const Run& run, const Program& program, const Machine& machine, Wait wait) {
  constexpr double s = 1e-9;
  const double makespan_s = static_cast<double>(run.makespan_ns) * s;
  std::vector<DeviceEnergy> energy(machine.devices.size());
  for (std::size_t i = 0; i < energy.size(); ++i)
    energy[i].idle_j = machine.devices[i].idle_w * makespan_s;
  for (Rank rank = 0; rank < program.ranks.size(); ++rank) {
    const Placement& placement = program.ranks[rank].placement;
    const DeviceModel& device = machine.devices[placement.device];
    DeviceEnergy& of_device = energy[placement.device];
    const double compute_s = static_cast<double>(run.ranks[rank].compute_ns) * s;
    const double call_s = static_cast<double>(run.ranks[rank].call_ns) * s;
    of_device.compute_j += device.core_w * call_s;
    if (placement.gpu) {
      of_device.gpu_j += device.gpu_w * compute_s;
    } else {
      of_device.compute_j += device.core_w * compute_s * static_cast<double>(placement.threads);
    }
    // A shared core works for others while this rank waits.
    const double own_core_s = placement.gpu ? call_s : compute_s + call_s;
    if (wait == Wait::spin) of_device.wait_j += device.spin_w * (makespan_s > own_core_s ? makespan_s - own_core_s : 0);
  }
  const std::vector<DeviceTraffic> traffic = traffic_of(program, machine);
  const double frames = static_cast<double>(run.frame_done_ns.size());
  for (std::size_t i = 0; i < energy.size(); ++i) {
    const double bytes = static_cast<double>(traffic[i].sent + traffic[i].received) * frames;
    if (bytes > 0) energy[i].network_j = machine.devices[i].network_w * bytes / machine.network.bytes_per_s;
  }
  return energy;
}

}  // namespace spillway::pipeline
