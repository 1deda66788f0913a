#include "sim/core/axes.hpp"

namespace spillway::core {
namespace {

constexpr std::uint32_t everything = 0x7FFFFFFF;

}  // namespace

Axes::Axes(const Layer& layer)
    : axis{{layer.channels, layer.tile_channels, layer.groups, everything, 0, 0, everything},
           {layer.height, layer.tile_height, layer.rows, layer.input_height, layer.stride_height, layer.pad_top,
            layer.kernel_height},
           {layer.width, layer.tile_width, layer.columns, layer.input_width, layer.stride_width, layer.pad_left,
            layer.kernel_width}} {
  if (layer.channelwise) {
    axis[0].stride = 1;
    axis[0].pad = layer.channel_halo;
    axis[0].kernel = 2U * layer.channel_halo + 1;
  }
  if (layer.flattened) axis[1].input = axis[2].input = 1;
}

Box outputs_of(const Axes& axes, std::uint32_t tile) {
  Box box;
  for (int i = 2; i >= 0; --i) {
    const Axis& axis = axes.axis[i];
    const std::uint32_t rest = tile / axis.tiles;
    const std::uint32_t first = (tile - rest * axis.tiles) * axis.tile;
    const std::uint32_t last = first + axis.tile;
    box.axis[i] = {first, last < axis.size ? last : axis.size};
    tile = rest;
  }
  return box;
}

Box inputs_of(const Axes& axes, const Part& part, Box box) {
  for (int i = 0; i < 3; ++i) {
    const Axis& axis = axes.axis[i];
    const auto input = [&axis](std::uint32_t reach) {
      const std::uint32_t at = reach > axis.pad ? reach - axis.pad : 0;
      return at < axis.input ? at : axis.input;
    };
    box.axis[i] = {input(box.axis[i].first * axis.stride), input((box.axis[i].last - 1) * axis.stride + axis.kernel)};
  }
  box.axis[0] = common(box.axis[0], {part.first_channel, part.first_channel + part.channels});
  return box;
}

Box tiles_holding(const Axes& axes, const Box& outputs) {
  Box tiles;
  for (int i = 0; i < 3; ++i) {
    const std::uint32_t tile = axes.axis[i].tile;
    tiles.axis[i] = {outputs.axis[i].first / tile, (outputs.axis[i].last - 1) / tile + 1};
  }
  return tiles;
}

Box tiles_reading(const Axes& axes, const Box& inputs) {
  Box tiles;
  for (int i = 0; i < 3; ++i) {
    const Axis& axis = axes.axis[i];
    tiles.axis[i] = {0, axis.tiles};
    if (axis.stride == 0) continue;
    const std::uint32_t reach = inputs.axis[i].first + axis.pad;
    const std::uint32_t first = reach >= axis.kernel ? (reach - axis.kernel) / axis.stride + 1 : 0;
    const std::uint32_t last = (inputs.axis[i].last + axis.pad - 1) / (axis.tile * axis.stride) + 1;
    // Inputs that lie beyond the last output's are read by no tile.
    tiles.axis[i].first = first < axis.size ? first / axis.tile : axis.tiles;
    if (last < axis.tiles) tiles.axis[i].last = last;
  }
  return tiles;
}

}  // namespace spillway::core
