#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pipeline/energy.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/memory.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/result.hpp"
#include "sim/pipeline/timeline.hpp"
#include "sim/pipeline/workload.hpp"

namespace spillway::pipeline {

/// Which clock runs the ranks.
enum class Driver : std::uint8_t { virtual_clock, simgrid };

struct Options {
  Communication communication = Communication::overlap;
  Driver driver = Driver::virtual_clock;
  Wait wait = Wait::sleep;
  Progress progress = Progress::async;
  std::uint64_t warm_up = 4;  ///< frames before the measured ones, as in the paper
  std::uint64_t frames = 20;  ///< measured, as in the paper
  bool every_layer = false;   ///< an operation for each layer, for a timeline
  Timeline* timeline = nullptr;
};

/// What a mapping is worth. Rates count measured frames, energy and memory are by device.
struct Result {
  Run run;
  double period_s = 0;                     ///< between the results of measured frames, on average
  double throughput_per_s = 0;             ///< 1 / period
  double latency_s = 0;                    ///< from taking a measured frame to its last result, on average
  std::vector<DeviceEnergy> energy;        ///< of the whole run
  std::vector<double> energy_per_frame_j;  ///< by device: total over the frames of the run
  std::vector<RankMemory> rank_memory;
  std::vector<std::uint64_t> device_memory;  ///< sum over its ranks
  std::vector<DeviceTraffic> traffic;        ///< of a frame

  double highest_energy_per_frame_j() const;
  std::uint64_t highest_memory() const;
};

/// Seconds between the results of the frames behind the first `warm_up`, on average.
double period_s(const Run& run, std::uint64_t warm_up);

/// Runs mappings of one network on one machine. Not for several threads.
class Simulator {
 public:
  /// Both must outlive the simulator.
  Simulator(const Workload& workload, const Machine& machine)
      : workload_(workload), machine_(machine), maker_(workload, machine) {}

  /// `rank_of_node` by NodeId, no_rank for the network's inputs.
  Result operator()(std::span<const Rank> rank_of_node, std::span<const Placement> placements, const Options& options);

  /// That of the last run.
  const Program& program() const { return *program_; }

 private:
  const Workload& workload_;
  const Machine& machine_;
  ProgramMaker maker_;
  const Program* program_ = nullptr;
};

}  // namespace spillway::pipeline
