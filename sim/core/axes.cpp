#include "sim/core/axes.hpp"

namespace spillway::core {
namespace {

constexpr std::uint32_t everything = 0x7FFFFFFF;

}  // namespace

Axes::Axes(const Layer& layer)
    : size{layer.channels, layer.height, layer.width},
      tile{layer.tile_channels, layer.tile_height, layer.tile_width},
      tiles{layer.groups, layer.rows, layer.columns},
      input{everything, layer.input_height, layer.input_width},
      stride{0, layer.stride_height, layer.stride_width},
      pad{layer.channel_halo, layer.pad_top, layer.pad_left},
      kernel{everything, layer.kernel_height, layer.kernel_width} {
  if (layer.channelwise) {
    stride[0] = 1;
    kernel[0] = 2 * pad[0] + 1;
  }
  if (layer.flattened) input[1] = input[2] = 1;
}

Box outputs_of(const Axes& axes) {
  return {{{0, axes.size[0]}, {0, axes.size[1]}, {0, axes.size[2]}}};
}

Box outputs_of(const Axes& axes, std::uint32_t tile) {
  Box box;
  for (int i = 2; i >= 0; --i) {
    const std::uint32_t rest = tile / axes.tiles[i];
    const std::uint32_t first = (tile - rest * axes.tiles[i]) * axes.tile[i];
    const std::uint32_t last = first + axes.tile[i];
    box.axis[i] = {first, last < axes.size[i] ? last : axes.size[i]};
    tile = rest;
  }
  return box;
}

void to_inputs(const Axes& axes, Box& box) {
  for (int i = 0; i < 3; ++i) {
    Range& range = box.axis[i];
    const std::uint32_t pad = axes.pad[i];
    range = common({range.first * axes.stride[i], (range.last - 1) * axes.stride[i] + axes.kernel[i]},
                   {pad, pad + axes.input[i]});
    shift(range, 0 - pad);
  }
}

void to_readers(const Axes& axes, Box& box) {
  for (int i = 0; i < 3; ++i) {
    Range& range = box.axis[i];
    if (axes.stride[i] == 0) {
      range = {0, axes.size[i]};
      continue;
    }
    shift(range, axes.pad[i]);
    range.first = range.first >= axes.kernel[i] ? (range.first - axes.kernel[i]) / axes.stride[i] + 1 : 0;
    range.last = (range.last - 1) / axes.stride[i] + 1;
    if (range.last > axes.size[i]) range.last = axes.size[i];
    // Inputs beyond the last output's are read by none, though the last tile could hold more outputs.
    if (range.first >= axes.size[i]) range.first = axes.tiles[i] * axes.tile[i];
  }
}

TileWalk::TileWalk(const Axes& axes, const Box& outputs) : rows_(axes.tiles[1]), columns_(axes.tiles[2]) {
  for (int i = 0; i < 3; ++i) {
    first_[i] = outputs.axis[i].first / axes.tile[i];
    at_[i] = last_[i] = (outputs.axis[i].last - 1) / axes.tile[i];
    if (first_[i] > last_[i]) left_ = 0;
    left_ *= last_[i] + 1 - first_[i];
  }
  ++at_[2];
}

bool TileWalk::next() {
  if (left_ == 0) return false;
  --left_;
  for (int i = 2; at_[i]-- == first_[i]; --i)
    at_[i] = last_[i];
  return true;
}

}  // namespace spillway::core
