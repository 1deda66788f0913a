#include "min_traffic_geometry.hpp"

#include <algorithm>

namespace spillway::least_traffic {
namespace {

std::vector<Span> cut(Span whole, std::uint32_t step) {
  std::vector<Span> spans;
  for (; !whole.empty(); whole.first += step)
    spans.push_back({whole.first, std::min(whole.first + step, whole.last)});
  return spans;
}

std::vector<Chunk> chunks_of(const core::Layer& layer, Span group) {
  std::vector<Chunk> chunks;
  for (const Span filters : cut(group, layer.has_weights() ? layer.chunk_filters : layer.tile_channels)) {
    if (layer.pieces == 1) {
      chunks.push_back({filters, {0, layer.filter_bytes}});
      continue;
    }
    for (const Span bytes : cut({0, layer.filter_bytes}, layer.piece_bytes))
      chunks.push_back({filters, bytes});
  }
  return chunks;
}

}  // namespace

LayerGeometry geometry_of(const core::Layer& layer) {
  LayerGeometry geometry;
  for (const Span group : cut({0, layer.channels}, layer.tile_channels)) {
    for (const Span rows : cut({0, layer.height}, layer.tile_height)) {
      for (const Span columns : cut({0, layer.width}, layer.tile_width)) {
        geometry.tiles.push_back({group, rows, columns});
        geometry.group_of.push_back(static_cast<std::uint32_t>(geometry.chunks.size()));
      }
    }
    geometry.chunks.push_back(chunks_of(layer, group));
  }
  return geometry;
}

Box needed(const core::Layer& layer, const core::Part& part, const Box& tile) {
  Span channels{part.first_channel, part.first_channel + part.channels};
  if (layer.channelwise) {
    const std::uint32_t halo = layer.channel_halo, first = tile.channels.first;
    channels = common(channels, {first > halo ? first - halo : 0, tile.channels.last + halo});
  }
  if (channels.empty()) return {};
  channels = {channels.first - part.first_channel + part.producer_channel,
              channels.last - part.first_channel + part.producer_channel};
  if (layer.flattened) return {channels, {0, 1}, {0, 1}};
  return {channels, inputs_of(tile.rows, layer.stride_height, layer.pad_top, layer.kernel_height, layer.input_height),
          inputs_of(tile.columns, layer.stride_width, layer.pad_left, layer.kernel_width, layer.input_width)};
}

}  // namespace spillway::least_traffic
