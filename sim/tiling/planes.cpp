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

std::uint32_t network_input_channels(const std::vector<SwapLayer>& layers) {
  std::uint32_t channels = 0;
  for (const SwapLayer& layer : layers) {
    for (const core::Part& part : layer.sources) {
      if (part.producer == core::network_input) channels = std::max(channels, part.producer_channel + part.channels);
    }
  }
  return channels;
}

Planes planes_of(const std::vector<SwapLayer>& layers, std::uint32_t element_bytes, std::uint32_t limit) {
  Planes planes;
  planes.input_channels = planes.input_plane = network_input_channels(layers);
  for (const SwapLayer& layer : layers) {
    planes.outputs.push_back(plane_channels(layer.channels, layer.width, element_bytes, limit));
    for (const core::Part& part : layer.sources) {
      if (part.producer != core::network_input || layer.flattened) continue;
      planes.input_plane = plane_channels(planes.input_channels, layer.input_width, element_bytes, limit);
    }
  }
  return planes;
}

}  // namespace spillway::tiling
