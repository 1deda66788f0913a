#pragma once

#include "models/network.hpp"
#include "platforms/computer.hpp"
#include "platforms/efficiencies.hpp"
#include "sim/cost/work.hpp"

/// What the layers of a network cost on boards that run an operating system: a roofline with a launch cost.
///
///     seconds = calls x launch + sum of MACs / (peak x cores x scale x share of the peak)
///                              + sum of bytes / (bandwidth x share of the bandwidth)
///
/// Shares by kind hold for every board (platforms/efficiencies.yaml), scale and launch for one board and class (one
/// core, all cores, GPU). Compute and memory time are added: the larger of both predicts networks that were left out of
/// the fit worse, and the sum is linear in the inverse of everything that is fitted (platforms/README.md).
namespace spillway::cost {

/// Where a layer runs.
struct Placement {
  bool gpu = false;
  int threads = 1;  ///< of the CPU, one a core; of no meaning on a GPU

  friend bool operator==(const Placement&, const Placement&) = default;
};

/// How fast a board is in one placement: everything of the formula above but the work.
struct Rates {
  double launch_s = 0;
  std::array<double, platforms::compute_kinds.size()> macs_per_s{};
  std::array<double, platforms::memory_kinds.size()> bytes_per_s{};
};

/// Between one core and all of them, scale and launch follow a power law of the threads.
/// Throws std::invalid_argument: a GPU that the computer does not have, no threads or more than cores.
Rates rates_of(const platforms::Computer& computer, const platforms::Efficiencies& efficiencies, Placement placement);

/// Seconds that the work takes.
double seconds_of(const Work& work, const Rates& rates);

/// Seconds of one call of a layer. `fused`: it runs behind the layer that makes its input, on the same resource
/// (can_fuse), and costs nothing. Throws as rates_of does.
double layer_s(const models::Network& network, models::NodeId id, const platforms::Computer& computer,
               const platforms::Efficiencies& efficiencies, Placement placement, bool fused);

/// Seconds of one frame of the whole network in one process, with everything fused that can be. Throws as rates_of
/// does.
double network_s(const models::Network& network, const platforms::Computer& computer,
                 const platforms::Efficiencies& efficiencies, Placement placement);

}  // namespace spillway::cost
