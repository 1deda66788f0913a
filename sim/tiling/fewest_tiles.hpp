#pragma once

#include <cstdint>
#include <vector>

/// The search for the tile shape that the rules `paper` and `halo` share.
namespace spillway::tiling {

/// One axis of a map: extents[t - 1] is the number of input rows (or columns) that a tile of t output rows reads.
struct Axis {
  std::vector<std::uint64_t> extents;

  std::uint32_t size() const { return static_cast<std::uint32_t>(extents.size()); }
  std::uint64_t extent(std::uint32_t tile) const { return extents[tile - 1]; }
};

/// What a tile may hold.
struct TileLimits {
  std::uint64_t input_pixels = 0;   ///< input rows x columns
  std::uint64_t output_pixels = 0;  ///< output rows x columns
};

struct TileShape {
  std::uint32_t height = 0, width = 0;
};

/// For each height the largest width within the limits; of these the shape with the fewest tiles, ties to the fewer
/// input pixels, then to the smaller height. {0, 0} if not even 1 x 1 fits.
TileShape fewest_tiles(const Axis& rows, const Axis& columns, const TileLimits& limits);

}  // namespace spillway::tiling
