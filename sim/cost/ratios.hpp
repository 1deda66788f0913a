#pragma once

#include "platforms/computer.hpp"
#include "platforms/efficiencies.hpp"

namespace spillway::cost {

/// What a computer of its own makes of its published ratios: the network on its GPU over the network on all its cores.
struct BoardRatios {
  double throughput = 0;
  double energy = 0;  ///< of a frame: idle board, GPU and a core that waits busily, over idle board and all cores
};

/// Throws platforms::InputError for an unknown network. The computer must have `ratios`.
BoardRatios ratios_of(const platforms::Computer& computer, const platforms::Efficiencies& efficiencies);

/// Chooses `launch` of the GPU and `spin_power` so that the computer's ratios are the published ones, or as near as
/// numbers that are not negative come; nothing else moves. Two numbers for two ratios: afterwards both are met whatever
/// the cause of the difference was, so neither judges the model.
/// Throws platforms::InputError for an unknown network.
void fit_ratios(platforms::Computer& computer, const platforms::Efficiencies& efficiencies);

}  // namespace spillway::cost
