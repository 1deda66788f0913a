#pragma once

#include <cstdint>

#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"

/// How an executable plan lies on the card (CardLayout::tile_major). A feature map is its producer's tiles in the order
/// of their numbers, a layer's weights are its chunks in theirs, each from a sector boundary. Within a tile the
/// elements stand by row, column, channel. The network's input is one tile.
namespace spillway::core {

/// The card's unit of transfer, bytes.
inline constexpr std::uint32_t sector_bytes = 512;

constexpr std::uint64_t whole_sectors(std::uint64_t bytes) {
  return (bytes + sector_bytes - 1) / sector_bytes * sector_bytes;
}

/// Bytes that reading a box of a stored tile moves: the least over whole rows of the tile, the box's columns of each
/// row, and the box's channels of each element, each extent widened to sectors.
/// `tile` is the stored tile's box of its map, `box` lies inside it.
std::uint64_t bytes_to_read(const Region& tile, const Region& box, std::uint32_t element_bytes);

/// Bytes that one part of a tile's input moves under tile_major.
std::uint64_t part_bytes_on_card(const Plan& plan, const Layer& layer, const Part& part, std::uint32_t tile);

}  // namespace spillway::core
