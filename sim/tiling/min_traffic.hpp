#pragma once

#include <optional>
#include <vector>

#include "sim/tiling/cut.hpp"
#include "sim/tiling/lower.hpp"
#include "sim/tiling/swap_plan.hpp"

/// Rule `min-traffic`. Inside the room only.
namespace spillway::tiling {

/// The plan that moves the fewest bytes of all in the rule's space (README.md); nothing where a layer fits no tile.
/// `empty` has everything but the tables.
std::optional<SwapPlan> least_traffic(const SwapPlan& empty, const std::vector<SwapLayer>& layers,
                                      const Budget& budget);

}  // namespace spillway::tiling
