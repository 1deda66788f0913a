#pragma once

#include <string>
#include <vector>

#include "sim/swap/result.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {

/// Why a stalled run cannot go on: when it stopped, then each task that waits, and for which pool.
std::vector<std::string> describe_stall(const tiling::SwapPlan& plan, const swap::Result& result);

}  // namespace spillway::experiments
