#pragma once

#include <string>

#include "sim/tiling/swap_plan.hpp"

/// Which plans can be run and not only counted. Inside the room only.
namespace spillway::tiling {

/// Empty for a plan of which every operation really moves the bytes that it charges; otherwise the first reason
/// against. A plan of rule `paper` charges every operation as one transfer of exactly its bytes. With maps stored by
/// row, column, channel and weights by filter, that is so if every operation covers whole rows and begins and ends with
/// a sector of the card, and if nothing is charged that a run does not have.
std::string why_counting_only(const SwapPlan& plan);

}  // namespace spillway::tiling
