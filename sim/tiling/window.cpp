#include "sim/tiling/window.hpp"

#include <algorithm>

namespace spillway::tiling {

WindowAxis row_axis(const SwapLayer& layer) {
  return {layer.height, layer.input_height, layer.kernel_height, layer.stride_height, layer.pad_top};
}

WindowAxis column_axis(const SwapLayer& layer) {
  return {layer.width, layer.input_width, layer.kernel_width, layer.stride_width, layer.pad_left};
}

core::Range inputs_of(const WindowAxis& axis, std::uint32_t first, std::uint32_t last) {
  const core::Range window{first * axis.stride, (last - 1) * axis.stride + axis.kernel};
  core::Range inputs = core::common(window, {axis.pad, axis.pad + axis.input});
  core::shift(inputs, 0 - axis.pad);
  return inputs;
}

TilesAlong tiles_along(const WindowAxis& axis, std::uint32_t tile) {
  TilesAlong along;
  for (std::uint32_t first = 0; first < axis.output; first += tile) {
    along.tiles.push_back(inputs_of(axis, first, std::min(first + tile, axis.output)));
    along.total += along.tiles.back().size();
    along.largest = std::max<std::uint64_t>(along.largest, along.tiles.back().size());
  }
  return along;
}

}  // namespace spillway::tiling
