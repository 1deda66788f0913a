#include "sim/tiling/fewest_tiles.hpp"

#include <tuple>

namespace spillway::tiling {
namespace {

std::uint64_t tiles_along(const Axis& axis, std::uint32_t tile) {
  return (axis.size() + tile - 1) / tile;
}

/// Extents clipped to the map need not grow with the tile, so the widest fitting tile is looked for from above.
std::uint32_t widest(const Axis& rows, const Axis& columns, const TileLimits& limits, std::uint32_t height) {
  const std::uint64_t input = limits.input_pixels / rows.extent(height);
  const std::uint64_t output = limits.output_pixels / height;
  for (std::uint32_t width = columns.size(); width > 0; --width) {
    if (width <= output && columns.extent(width) <= input) return width;
  }
  return 0;
}

}  // namespace

TileShape fewest_tiles(const Axis& rows, const Axis& columns, const TileLimits& limits) {
  TileShape best;
  std::tuple<std::uint64_t, std::uint64_t> best_cost;
  for (std::uint32_t height = 1; height <= rows.size(); ++height) {
    const std::uint32_t width = widest(rows, columns, limits, height);
    if (width == 0) continue;
    const std::tuple cost{tiles_along(rows, height) * tiles_along(columns, width),
                          rows.extent(height) * columns.extent(width)};
    if (best.height == 0 || cost < best_cost) {
      best_cost = cost;
      best = {height, width};
    }
  }
  return best;
}

}  // namespace spillway::tiling
