#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::swap {

/// A point of the grid of Figures 6 to 8.
struct GridPoint {
  std::string network;
  std::uint64_t sram_bytes, buffer_bytes;
  Mode mode;
  std::uint32_t frames;
};

/// 3 networks, SRAM 512 KiB to 8 MiB, buffers 16 to 512 KiB, both modes; points with fewer than 4 buffers left out.
std::vector<GridPoint> figure_grid(std::vector<std::uint32_t> frames);

/// Runs a point under both drivers. Empty when they agree, otherwise the first difference:
/// without contention the same records in the same order, and all times to 1e-9 relative; with it the same order up to
/// the first two completions less than 10 ns apart, and, where there are none, makespans to 1e-6.
std::string disagreement(const tiling::SwapPlan& plan, const platforms::Board& board, const platforms::Card& card,
                         Mode mode, Crypto crypto = Crypto::none);

tiling::SwapPlan plan_of(const GridPoint& point);

std::string to_string(const GridPoint& point);

}  // namespace spillway::swap
