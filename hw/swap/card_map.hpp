#pragma once

#include <cstdint>
#include <span>

#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

/// Execution of a swap plan: what the Linux runtime and the firmware share. Freestanding C++20, no heap, no clock.
namespace spillway::execution {

/// Where a layer's data begin, in sectors.
struct LayerPlace {
  std::uint32_t weights = 0;
  std::uint32_t map = 0;  ///< its output; see CardMap::map_of
};

/// Where everything lies on the card, in sectors of 512 bytes from the card's (or image's) beginning:
///
///     header | run record | weights of all layers | inputs of all frames | results of all frames | maps of the window
///
/// A layer's weights are its groups one after the other, each the chunks in the order of their numbers
/// (sim/core/layout.hpp). Results are the outputs that no layer reads. All other outputs are there once for each frame
/// in flight: frame f uses the place f mod window. Outputs that stay in SRAM (core::Layer::output_pins) have no place.
struct CardMap {
  std::span<const LayerPlace> layers;
  std::uint32_t inputs = 0, input_sectors = 0;    ///< beginning; of one frame
  std::uint32_t results = 0, result_sectors = 0;  ///< beginning; of one frame
  std::uint32_t maps = 0, map_sectors = 0;        ///< beginning; of one frame in flight
  std::uint32_t sectors = 0;                      ///< of everything

  std::uint32_t input_of(std::uint32_t frame) const { return inputs + frame * input_sectors; }

  /// Where a frame's output of a layer begins.
  std::uint32_t map_of(const core::Plan& plan, std::uint32_t layer, std::uint32_t frame) const;
};

inline constexpr std::uint32_t header_sector = 0;
/// Left to the driver: what a start needs to know about an earlier run.
inline constexpr std::uint32_t run_record_sector = 1;

/// Lays a plan out. `places`, one for each layer, must outlive the map. Returns a map of 0 sectors where the card would
/// need more than 2^32 - 1 sectors or a stored tile more than 2^32 - 1 bytes.
CardMap lay_out(const core::Plan& plan, std::span<LayerPlace> places);

/// Sectors of a layer's weights.
std::uint64_t weight_sectors(const core::Layer& layer);

/// Sectors from the beginning of a layer's weights to a chunk of a tile.
std::uint32_t chunk_offset(const core::Layer& layer, std::uint32_t tile, std::uint32_t chunk);

/// Bytes of one filter in a piece.
constexpr std::uint32_t piece_bytes_of(const core::Layer& layer, std::uint32_t piece) {
  return piece + 1 < layer.pieces ? layer.piece_bytes : layer.filter_bytes - (layer.pieces - 1) * layer.piece_bytes;
}

/// Sectors of a map that is stored as `layer` says: its channels, height, width, tiles, and plane_channels.
std::uint64_t map_sectors(const core::Layer& layer, core::CardLayout layout);

/// Sectors from the beginning of a map in tiles to one of them.
std::uint32_t tile_offset(const core::Layer& layer, std::uint32_t tile);

/// Sectors of one row of a block of channels, under planes; the last block may be narrower.
std::uint32_t plane_row_sectors(const core::Layer& layer, std::uint32_t block);

/// The network's input as a layer that has written it in one tile: its stored shape and nothing else.
core::Layer input_as_layer(const core::Plan& plan, std::uint8_t element_bytes);

}  // namespace spillway::execution
