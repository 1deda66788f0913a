#include "hw/swap/card_map.hpp"

#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::CardLayout;
using core::Layer;
using core::Plan;

constexpr std::uint64_t most = 0xFFFFFFFF;

constexpr std::uint64_t sectors_for(std::uint64_t bytes) {
  return (bytes + core::sector_bytes - 1) / core::sector_bytes;
}

/// Sectors of the pieces of a block of filters.
std::uint64_t block_sectors(const Layer& layer, std::uint32_t filters) {
  if (filters == 0) return 0;
  return (layer.pieces - 1) * sectors_for(std::uint64_t{filters} * layer.piece_bytes) +
         sectors_for(std::uint64_t{filters} * piece_bytes_of(layer, layer.pieces - 1));
}

std::uint64_t group_sectors(const Layer& layer, std::uint32_t filters) {
  return filters / layer.chunk_filters * block_sectors(layer, layer.chunk_filters) +
         block_sectors(layer, filters % layer.chunk_filters);
}

/// The size of the last of `count` tiles of `tile` elements along an axis.
constexpr std::uint32_t last_of(std::uint32_t size, std::uint32_t tile, std::uint32_t count) {
  return size - (count - 1) * tile;
}

std::uint64_t tile_sectors(const Layer& layer, std::uint32_t channels, std::uint32_t height, std::uint32_t width) {
  return sectors_for(std::uint64_t{channels} * height * width * layer.element_bytes);
}

/// Sectors of a row of tiles.
std::uint64_t row_sectors(const Layer& layer, std::uint32_t channels, std::uint32_t height) {
  return (layer.columns - 1) * tile_sectors(layer, channels, height, layer.tile_width) +
         tile_sectors(layer, channels, height, last_of(layer.width, layer.tile_width, layer.columns));
}

/// Sectors of a group of tiles.
std::uint64_t group_map_sectors(const Layer& layer, std::uint32_t channels) {
  return (layer.rows - 1) * row_sectors(layer, channels, layer.tile_height) +
         row_sectors(layer, channels, last_of(layer.height, layer.tile_height, layer.rows));
}

std::uint32_t block_channels(const Layer& layer, std::uint32_t block) {
  const std::uint32_t first = block * layer.plane_channels;
  return core::common({first, first + layer.plane_channels}, {0, layer.channels}).size();
}

}  // namespace

std::uint64_t weight_sectors(const Layer& layer) {
  if (!layer.has_weights()) return 0;
  return (layer.groups - 1) * group_sectors(layer, layer.tile_channels) +
         group_sectors(layer, last_of(layer.channels, layer.tile_channels, layer.groups));
}

std::uint32_t chunk_offset(const Layer& layer, std::uint32_t tile, std::uint32_t chunk) {
  const std::uint32_t block = chunk / layer.pieces, piece = chunk - block * layer.pieces;
  return static_cast<std::uint32_t>(
      core::position_of(layer, tile).group * group_sectors(layer, layer.tile_channels) +
      block * block_sectors(layer, layer.chunk_filters) +
      piece * sectors_for(std::uint64_t{core::filters_of(layer, tile, chunk)} * layer.piece_bytes));
}

std::uint32_t plane_row_sectors(const Layer& layer, std::uint32_t block) {
  return static_cast<std::uint32_t>(
      sectors_for(std::uint64_t{block_channels(layer, block)} * layer.width * layer.element_bytes));
}

std::uint64_t map_sectors(const Layer& layer, CardLayout layout) {
  switch (layout) {
    case CardLayout::contiguous:
      break;
    case CardLayout::tile_major:
      return (layer.groups - 1) * group_map_sectors(layer, layer.tile_channels) +
             group_map_sectors(layer, last_of(layer.channels, layer.tile_channels, layer.groups));
    case CardLayout::planes: {
      const std::uint32_t last = (layer.channels - 1) / layer.plane_channels;
      return std::uint64_t{layer.height} *
             (std::uint64_t{last} * plane_row_sectors(layer, 0) + plane_row_sectors(layer, last));
    }
  }
  return tile_sectors(layer, layer.channels, layer.height, layer.width);
}

std::uint32_t tile_offset(const Layer& layer, std::uint32_t tile) {
  const core::TilePosition at = core::position_of(layer, tile);
  const core::Region box = core::output_region(layer, tile);
  return static_cast<std::uint32_t>(at.group * group_map_sectors(layer, layer.tile_channels) +
                                    at.row * row_sectors(layer, box.channels.size(), layer.tile_height) +
                                    at.column *
                                        tile_sectors(layer, box.channels.size(), box.rows.size(), layer.tile_width));
}

Layer input_as_layer(const Plan& plan, std::uint8_t element_bytes) {
  Layer map;
  map.channels = map.tile_channels = plan.input_channels;
  map.height = map.tile_height = plan.input_height;
  map.width = map.tile_width = plan.input_width;
  map.plane_channels = plan.input_plane_channels;
  map.element_bytes = element_bytes;
  return map;
}

std::uint32_t CardMap::map_of(const Plan& plan, std::uint32_t layer, std::uint32_t frame) const {
  if (plan.layers[layer].consumers == 0) return results + frame * result_sectors + layers[layer].map;
  return maps + frame % plan.window * map_sectors + layers[layer].map;
}

CardMap lay_out(const Plan& plan, std::span<LayerPlace> places) {
  std::uint64_t weights = run_record_sector + 1, results = 0, maps = 0;
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    const Layer& layer = plan.layers[row];
    if (layer.keeps_output()) {
      places[row] = {static_cast<std::uint32_t>(weights), 0};
    } else {
      std::uint64_t& end = layer.consumers == 0 ? results : maps;
      places[row] = {static_cast<std::uint32_t>(weights), static_cast<std::uint32_t>(end)};
      const std::uint64_t sectors = map_sectors(layer, plan.layout);
      if (sectors > most / core::sector_bytes) return {};
      end += sectors;
    }
    weights += weight_sectors(layer);
    if (weights > most || results > most || maps > most) return {};
  }
  const std::uint64_t input = map_sectors(input_as_layer(plan, plan.layers[0].element_bytes), plan.layout);
  const std::uint32_t window = plan.window < plan.frames ? plan.window : plan.frames;
  const std::uint64_t results_begin = weights + plan.frames * input;
  const std::uint64_t maps_begin = results_begin + plan.frames * results;
  const std::uint64_t end = maps_begin + window * maps;
  if (input > most / core::sector_bytes || results_begin > most || maps_begin > most || end > most) return {};

  CardMap map;
  map.layers = places;
  map.inputs = static_cast<std::uint32_t>(weights);
  map.input_sectors = static_cast<std::uint32_t>(input);
  map.results = static_cast<std::uint32_t>(results_begin);
  map.result_sectors = static_cast<std::uint32_t>(results);
  map.maps = static_cast<std::uint32_t>(maps_begin);
  map.map_sectors = static_cast<std::uint32_t>(maps);
  map.sectors = static_cast<std::uint32_t>(end);
  return map;
}

}  // namespace spillway::execution
