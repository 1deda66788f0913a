#pragma once

#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/result.hpp"

namespace spillway::pipeline {

/// Whether a rank that waits keeps its core busy: Open MPI's own waits do, those of the generated program sleep.
enum class Wait : std::uint8_t { spin, sleep };

/// Joules of one board over a run.
struct DeviceEnergy {
  double idle_j = 0;     ///< idle power x makespan
  double compute_j = 0;  ///< cores that compute, or work for the MPI library
  double gpu_j = 0;
  double wait_j = 0;     ///< cores that wait busily: of ranks without work, and of a GPU's rank while the GPU works
  double network_j = 0;  ///< the interface, by the bytes sent and received

  double total_j() const { return idle_j + compute_j + gpu_j + wait_j + network_j; }
};

/// By device; one without ranks has its idle energy only.
std::vector<DeviceEnergy> energy_of(const Run& run, const Program& program, const Machine& machine, Wait wait);

/// Bytes that pass between boards in one frame.
struct DeviceTraffic {
  std::uint64_t sent = 0, received = 0;
};

/// By device.
std::vector<DeviceTraffic> traffic_of(const Program& program, const Machine& machine);

}  // namespace spillway::pipeline
