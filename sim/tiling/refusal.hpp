#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "sim/tiling/lower.hpp"
#include "sim/tiling/swap_plan.hpp"

/// The texts of refusals. Inside the room only.
namespace spillway::tiling {

/// `16 KiB` where that is exact, else `25088 bytes`.
std::string format_bytes(std::uint64_t bytes);

/// "layer `conv1`: <what> takes 20 KiB, a buffer has 16 KiB"
Infeasible exceeds_buffer(const SwapLayer& layer, std::string_view what, std::uint64_t demand, std::uint64_t buffer);

}  // namespace spillway::tiling
