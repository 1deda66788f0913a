#include "sim/tiling/planes.hpp"

#include <algorithm>

#include "sim/core/layout.hpp"

namespace spillway::tiling {

std::uint32_t plane_channels(std::uint32_t channels, std::uint32_t width, std::uint32_t element_bytes,
                             std::uint32_t limit) {
  if (channels <= limit) return channels;
  for (std::uint32_t block = 1; block < channels; ++block) {
    if (channels % block != 0) continue;
    const std::uint64_t row = std::uint64_t{block} * width * element_bytes;
    if (8 * row >= 7 * core::whole_sectors(row)) return block;
  }
  return channels;
}

Planes planes_of(const std::vector<SwapLayer>& layers, std::uint32_t element_bytes, std::uint32_t limit) {
  Planes planes;
  for (const bool vectors : {true, false}) {
    std::uint32_t channels = 0;
    for (const SwapLayer& layer : layers) {
      for (const core::Part& part : layer.sources) {
        if (part.producer != core::network_input || layer.flattened != vectors) continue;
        channels = std::max(channels, part.producer_channel + part.channels);
        planes.input_height = vectors ? 1 : layer.input_height;
        planes.input_width = vectors ? 1 : layer.input_width;
      }
    }
    if (channels != 0) planes.input_channels = channels;
  }
  planes.input_plane = plane_channels(planes.input_channels, planes.input_width, element_bytes, limit);
  for (const SwapLayer& layer : layers) {
    std::uint32_t plane = plane_channels(layer.channels, layer.width, element_bytes, limit);
    if (layer.channels > limit && layer.channelwise && layer.sources.size() == 1 && layer.height * layer.width == 1) {
      const core::LayerIndex producer = layer.sources.front().producer;
      plane = producer == core::network_input ? planes.input_plane : planes.outputs[producer];
    }
    planes.outputs.push_back(plane);
  }
  return planes;
}

}  // namespace spillway::tiling
