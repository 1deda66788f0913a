#include "sim/tiling/builder.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "sim/core/geometry.hpp"

namespace spillway::tiling {
namespace {

template <class Integer>
Integer within(const SwapLayer& layer, std::uint64_t value) {
  if (value > std::numeric_limits<Integer>::max()) {
    throw Unsupported(fmt::format("layer `{}`: the plan's tables take numbers up to {}, this one needs {}", layer.name,
                                  std::numeric_limits<Integer>::max(), value));
  }
  return static_cast<Integer>(value);
}

std::uint32_t count(const SwapLayer& layer, std::uint64_t value) {
  return within<std::uint32_t>(layer, value);
}
std::uint16_t small(const SwapLayer& layer, std::uint64_t value) {
  return within<std::uint16_t>(layer, value);
}

}  // namespace

void Builder::add(const SwapLayer& from, const Cut& cut) {
  core::Layer layer;
  layer.channels = from.channels;
  layer.height = from.height;
  layer.width = from.width;
  layer.tile_channels = cut.tile_channels;
  layer.tile_height = cut.tile_height;
  layer.tile_width = cut.tile_width;
  layer.groups = count(from, ceil_divide(from.channels, cut.tile_channels));
  layer.rows = count(from, ceil_divide(from.height, cut.tile_height));
  layer.columns = count(from, ceil_divide(from.width, cut.tile_width));
  count(from, std::uint64_t{layer.groups} * layer.rows * layer.columns);
  layer.input_height = from.input_height;
  layer.input_width = from.input_width;
  layer.kernel_height = static_cast<std::uint16_t>(from.kernel_height);
  layer.kernel_width = static_cast<std::uint16_t>(from.kernel_width);
  layer.stride_height = static_cast<std::uint16_t>(from.stride_height);
  layer.stride_width = static_cast<std::uint16_t>(from.stride_width);
  layer.pad_top = static_cast<std::uint16_t>(from.pad_top);
  layer.pad_left = static_cast<std::uint16_t>(from.pad_left);
  layer.channel_halo = small(from, from.channel_halo);
  layer.chunks = count(from, ceil_divide(cut.tile_channels, cut.chunk_filters) * cut.pieces);
  layer.chunk_filters = cut.chunk_filters;
  layer.pieces = cut.pieces;
  layer.filter_bytes = count(from, cut.filter_bytes);
  layer.piece_bytes = count(from, cut.piece_bytes);
  layer.filter_work = from.filter_work;
  layer.element_bytes = static_cast<std::uint8_t>(cut.element_bytes);
  layer.work_class = from.work_class;
  layer.channelwise = from.channelwise;
  layer.flattened = from.flattened;
  layer.weight_pins = cut.weight_pins;
  layer.output_pins = cut.output_pins;
  layer.plane_channels = cut.plane_channels;
  layer.waits_for_all = from.waits_for_all || layer.has_pins();
  layer.first_part = small(from, plan_.parts.size());
  layer.parts = small(from, cut.parts.size());
  layer.first_consumer = small(from, plan_.consumers.size());
  plan_.parts.insert(plan_.parts.end(), cut.parts.begin(), cut.parts.end());
  const std::uint64_t buffers = ceil_divide(largest_input(layer), plan_.request.buffer_bytes);
  layer.input_buffers =
      small(from, plan_.layout == core::CardLayout::planes ? cut.input_buffers : std::min(buffers, cut.input_buffers));
  add_consumers();
  layer.consumers = small(from, plan_.consumers.size() - layer.first_consumer);
  plan_.layer_names.push_back(from.name);
  plan_.layer_nodes.push_back(from.node);
  plan_.layers.push_back(layer);
}

std::uint64_t Builder::largest_input(const core::Layer& layer) const {
  std::uint64_t largest = 0;
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    std::uint64_t bytes = 0;
    for (std::size_t part = layer.first_part; part < plan_.parts.size(); ++part) {
      bytes += core::input_region(layer, plan_.parts[part], tile).elements() * layer.element_bytes;
    }
    largest = std::max(largest, bytes);
  }
  return largest;
}

void Builder::add_consumers() {
  const std::size_t row = plan_.layers.size();
  for (std::size_t reader = row + 1; reader < layers_.size(); ++reader) {
    const auto& sources = layers_[reader].sources;
    const auto reads = [row](const core::Part& part) { return part.producer == row; };
    if (std::any_of(sources.begin(), sources.end(), reads)) {
      plan_.consumers.push_back(static_cast<core::LayerIndex>(reader));
    }
  }
}

}  // namespace spillway::tiling
