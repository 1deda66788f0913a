#include "sim/core/geometry.hpp"

#include "sim/core/axes.hpp"

namespace spillway::core {

TilePosition position_of(const Layer& layer, std::uint32_t tile) {
  const std::uint32_t line = tile / layer.columns;
  const std::uint32_t group = line / layer.rows;
  return {group, line - group * layer.rows, tile - line * layer.columns};
}

Region output_region(const Layer& layer, std::uint32_t tile) {
  const Box box = outputs_of(Axes(layer), tile);
  return {box.axis[0], box.axis[1], box.axis[2]};
}

Region input_region(const Layer& layer, const Part& part, std::uint32_t tile) {
  const Axes axes(layer);
  const Box box = inputs_of(axes, part, outputs_of(axes, tile));
  return {box.axis[0], box.axis[1], box.axis[2]};
}

bool part_exists(const Layer& layer, const Part& part, std::uint32_t tile) {
  return !input_region(layer, part, tile).channels.empty();
}

std::uint32_t chunks_of(const Layer& layer, std::uint32_t tile) {
  if (layer.groups == 1 || layer.chunks == 1) return layer.chunks;
  const std::uint32_t filters = output_region(layer, tile).channels.size();
  return (filters + layer.chunk_filters - 1) / layer.chunk_filters * layer.pieces;
}

}  // namespace spillway::core
