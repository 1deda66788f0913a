#include <algorithm>

#include "sim/tiling/cut.hpp"
#include "sim/tiling/fewest_tiles.hpp"
#include "sim/tiling/refusal.hpp"

/// Rule `paper`: the tiles that reproduce the published SwapNN counts and times best. One byte an element.
namespace spillway::tiling {
namespace {

/// Input rows charged for `tile` output rows: s t + k - 1, exact for stride 1, some too many above.
std::uint64_t extent(std::uint32_t tile, std::uint32_t stride, std::uint32_t kernel) {
  return std::uint64_t{stride} * tile + kernel - 1;
}

Axis axis_of(std::uint32_t size, std::uint32_t stride, std::uint32_t kernel) {
  Axis axis;
  for (std::uint32_t tile = 1; tile <= size; ++tile)
    axis.extents.push_back(extent(tile, stride, kernel));
  return axis;
}

/// Input pixels of a tile of one output pixel.
std::uint64_t smallest_input(const SwapLayer& layer) {
  return extent(1, layer.stride_height, layer.kernel_height) * extent(1, layer.stride_width, layer.kernel_width);
}

void cut_dense_input(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  cut.input_buffers = ceil_divide(layer.input_channels, budget.buffer_bytes);
  const auto part = static_cast<std::uint32_t>(ceil_divide(layer.input_channels, cut.input_buffers));
  cut.parts = cut_parts(layer.sources, layer.input_channels, part);
}

/// Channelwise layers of which not even one pixel fits are cut into equal groups of channels.
void cut_channels(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  const std::uint64_t pixels = smallest_input(layer), buffer = budget.buffer_bytes;
  const auto fits = [&](std::uint32_t channels) {
    return pixels * channels_read(layer, channels) <= buffer && channels <= buffer;
  };
  if (fits(layer.channels)) return;
  const std::uint64_t demand = std::max<std::uint64_t>(pixels * layer.operands * layer.input_channels, layer.channels);
  cut.tile_channels = split_channels(layer.channels, ceil_divide(demand, buffer), fits);
  if (cut.tile_channels == 0) {
    throw exceeds_buffer(layer, "the input of one output element", pixels * channels_read(layer, 1), buffer);
  }
}

/// Whole filters, equally many in each chunk; a filter longer than a buffer is cut wherever the buffer ends.
void cut_weights(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  if (!layer.has_weights()) {
    cut.chunk_filters = cut.tile_channels;
    return;
  }
  cut.filter_bytes = std::uint64_t{layer.published_filter_channels} * layer.kernel_elements;
  cut.piece_bytes = std::min(cut.filter_bytes, budget.buffer_bytes);
  cut.pieces = static_cast<std::uint32_t>(ceil_divide(cut.filter_bytes, budget.buffer_bytes));
  cut.chunk_filters = largest_divisor(cut.tile_channels, budget.buffer_bytes / cut.filter_bytes);
}

Cut channels(const SwapLayer& layer, const Budget& budget) {
  Cut cut;
  cut.tile_channels = layer.channels;
  cut.parts = layer.sources;
  if (layer.channelwise) {
    cut_channels(layer, budget, cut);
  } else if (layer.channels > budget.buffer_bytes) {
    throw exceeds_buffer(layer, "one output pixel", layer.channels, budget.buffer_bytes);
  } else if (layer.flattened) {
    cut_dense_input(layer, budget, cut);
  } else if (const std::uint64_t demand = smallest_input(layer) * layer.input_channels; demand > budget.buffer_bytes) {
    throw exceeds_buffer(layer, "the input of one output pixel", demand, budget.buffer_bytes);
  }
  cut_weights(layer, budget, cut);
  return cut;
}

void map(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  if (layer.flattened || cut.tile_channels < layer.channels) return;
  const TileShape shape =
      fewest_tiles(axis_of(layer.height, layer.stride_height, layer.kernel_height),
                   axis_of(layer.width, layer.stride_width, layer.kernel_width),
                   {budget.buffer_bytes / channels_read(layer, layer.channels), budget.buffer_bytes / layer.channels});
  cut.tile_height = shape.height;
  cut.tile_width = shape.width;
}

}  // namespace

const RuleSteps paper_rule{channels, map, Lowering::all, core::CardLayout::contiguous};

}  // namespace spillway::tiling
