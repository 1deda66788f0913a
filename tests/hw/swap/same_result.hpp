#pragma once

#include <cstdint>

#include "random_network.hpp"

#include "models/network.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::execution {

/// What cases have gone through, so that a test can say that it has seen everything.
struct Covered {
  int plans = 0, planes = 0, several_tiles = 0, several_chunks = 0, cut_filters = 0, weights_outside = 0,
      kept_outputs = 0, several_parts = 0, several_buffers = 0, channel_groups = 0, frames_reuse_maps = 0;
  int kernels[6] = {};
};

/// Runs a plan and expects the outputs of the untiled reference, bit for bit.
void expect_same_result(const models::Network& network, const tiling::SwapPlan& made, tiling::Random& random,
                        Covered& covered);

/// Runs plans of both rules for a random network and expects the outputs of the untiled reference, bit for bit.
void expect_same_result(tiling::Random& random, Covered& covered);

}  // namespace spillway::execution
