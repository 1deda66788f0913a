#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/geometry.hpp"
#include "sim/tiling/lower.hpp"

/// What tiles along one axis of a map read. Inside the room only.
namespace spillway::tiling {

/// One axis of a layer: the window's sizes along it.
struct WindowAxis {
  std::uint32_t output = 1, input = 1, kernel = 1, stride = 1, pad = 0;
};

WindowAxis row_axis(const SwapLayer& layer);
WindowAxis column_axis(const SwapLayer& layer);

/// The inputs that outputs [first, last) read, clipped to the map. Empty where all windows lie in the padding.
core::Range inputs_of(const WindowAxis& axis, std::uint32_t first, std::uint32_t last);

struct TilesAlong {
  std::vector<core::Range> tiles;        ///< the inputs of each tile
  std::uint64_t total = 0, largest = 0;  ///< inputs of all tiles, of the largest one
};

/// Cuts an axis into tiles of `tile` outputs, the last one smaller.
TilesAlong tiles_along(const WindowAxis& axis, std::uint32_t tile);

}  // namespace spillway::tiling
