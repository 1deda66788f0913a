#pragma once

#include <cstdint>

#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"

/// How an executable plan lies on the card. A layer's weights are its chunks in the order of their numbers, each from a
/// sector boundary.
///
/// CardLayout::tile_major: a feature map is its producer's tiles in the order of their numbers, each from a sector
/// boundary. Within a tile the elements stand by row, column, channel. The network's input is one tile.
///
/// CardLayout::planes: a feature map is blocks of Layer::plane_channels channels, the last one narrower; a block is its
/// rows, each from a sector boundary; in a row the elements stand by column, channel. Where a tile begins does not
/// depend on the tiles of the layer that wrote it.
namespace spillway::core {

/// The card's unit of transfer, bytes.
inline constexpr std::uint32_t sector_bytes = 512;

constexpr std::uint64_t whole_sectors(std::uint64_t bytes) {
  return (bytes + sector_bytes - 1) / sector_bytes * sector_bytes;
}

/// The extents that read a box of a stored tile, each widened to sectors.
enum class ReadBy : std::uint8_t {
  tile_rows,  ///< one: the rows of the box, whole
  box_rows,   ///< one for each row of the box, from its first column to its last one
  elements,   ///< one for each row and column of the box, from its first channel to its last one
};

/// How a box of a stored tile is read, and the bytes that this moves.
struct BoxRead {
  std::uint64_t bytes = 0;
  ReadBy by = ReadBy::tile_rows;
};

/// The way that moves the fewest bytes, of equal ones the first. `tile` is the stored tile's box of its map, `box` lies
/// inside it.
BoxRead cheapest_read(const Region& tile, const Region& box, std::uint32_t element_bytes);

/// A map in planes.
struct PlaneMap {
  std::uint32_t channels = 0, height = 1, width = 1;
  std::uint32_t plane_channels = 1;
  std::uint32_t element_bytes = 1;
};

/// Bytes that a box of a map in planes moves: of each row of each block the box's columns, widened to sectors.
std::uint64_t bytes_in_planes(const PlaneMap& map, const Region& box);

/// Bytes that elements [range) of a map in planes move, counted in the order of the storage: whole rows.
std::uint64_t vector_bytes_in_planes(const PlaneMap& map, Range range);

/// Bytes that writing a tile moves under planes.
std::uint64_t output_bytes_in_planes(const Layer& layer, std::uint32_t tile);

/// Bytes that one part of a tile's input moves under tile_major or planes.
std::uint64_t part_bytes_on_card(const Plan& plan, const Layer& layer, const Part& part, std::uint32_t tile);

}  // namespace spillway::core
