#include "sim/core/geometry.hpp"

#include <bit>

#include "sim/core/axes.hpp"

namespace spillway::core {

Region output_region(const Layer& layer, std::uint32_t tile) {
  return std::bit_cast<Region>(outputs_of(Axes(layer), tile));
}

Region input_region(const Layer& layer, const Part& part, std::uint32_t tile) {
  const Axes axes(layer);
  Box box = outputs_of(axes, tile);
  to_inputs(axes, box);
  box.axis[0] = channels_of(part, box.axis[0]);
  return std::bit_cast<Region>(box);
}

bool part_exists(const Layer& layer, const Part& part, std::uint32_t tile) {
  if (with_pins && part.resident) return false;
  // Only a channelwise layer's tiles differ in the channels that they read.
  return layer.channelwise ? !input_region(layer, part, tile).channels.empty() : part.channels != 0;
}

std::uint32_t chunks_of(const Layer& layer, std::uint32_t tile) {
  if (layer.groups == 1 || layer.chunks == 1) return layer.chunks;
  const std::uint32_t filters = output_region(layer, tile).channels.size();
  return (filters + layer.chunk_filters - 1) / layer.chunk_filters * layer.pieces;
}

}  // namespace spillway::core
