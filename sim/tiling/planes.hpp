#pragma once

#include <cstdint>
#include <vector>

#include "sim/tiling/lower.hpp"

/// How rule `min-traffic` chooses the blocks of channels of core::CardLayout::planes. Inside the room only.
namespace spillway::tiling {

/// A map's block of channels decides which tiles can be written as whole sectors: few channels allow narrow groups of
/// channels, many allow narrow tiles. Maps of at most `limit` channels are one block; others have blocks of the fewest
/// channels that divide theirs and lose at most an eighth of a row to its padding.
std::uint32_t plane_channels(std::uint32_t channels, std::uint32_t width, std::uint32_t element_bytes,
                             std::uint32_t limit);

/// The limits that the rule tries, the first of equal ones winning.
inline constexpr std::uint32_t plane_limits[] = {0, 64, 128, 256, 512, 1024, 0xFFFFFFFF};

/// The network's input, and the blocks of every map. One element for each channel of a single source (global pooling)
/// has the source's blocks above the limit, so that a tile need not read parts of blocks. An input that only dense
/// layers read is a vector: channels alone.
struct Planes {
  std::uint32_t input_channels = 0, input_height = 1, input_width = 1;
  std::uint32_t input_plane = 0;
  std::vector<std::uint32_t> outputs;  ///< of each layer
};

Planes planes_of(const std::vector<SwapLayer>& layers, std::uint32_t element_bytes, std::uint32_t limit);

}  // namespace spillway::tiling
