#include <algorithm>

#include "sim/tiling/cut.hpp"
#include "sim/tiling/fewest_tiles.hpp"
#include "sim/tiling/refusal.hpp"

/// Rule `halo`: the search of `paper` with what a real run needs: exact input regions, the network's element type, room
/// for accumulators, cuts where a kernel can make them.
namespace spillway::tiling {
namespace {

/// Rows that the largest tile of `tile` output rows reads: the receptive field clipped to the map; at least 1, also
/// where windows lie wholly in the padding.
std::uint64_t clipped_extent(std::uint32_t tile, std::uint32_t output, std::uint32_t input, std::uint32_t stride,
                             std::uint32_t pad, std::uint32_t kernel) {
  std::int64_t largest = 1;
  for (std::uint32_t first = 0; first < output; first += tile) {
    const std::int64_t last = std::min(first + tile, output) - 1;
    const std::int64_t begin = std::int64_t{first} * stride - pad;
    const std::int64_t end = last * stride - pad + kernel;
    largest = std::max(largest, std::min<std::int64_t>(end, input) - std::max<std::int64_t>(begin, 0));
  }
  return static_cast<std::uint64_t>(largest);
}

std::uint64_t row_extent(const SwapLayer& layer, std::uint32_t tile) {
  return clipped_extent(tile, layer.height, layer.input_height, layer.stride_height, layer.pad_top,
                        layer.kernel_height);
}

std::uint64_t column_extent(const SwapLayer& layer, std::uint32_t tile) {
  return clipped_extent(tile, layer.width, layer.input_width, layer.stride_width, layer.pad_left, layer.kernel_width);
}

/// Bytes of one input channel that a tile of one output pixel reads.
std::uint64_t smallest_input(const SwapLayer& layer, const Budget& budget) {
  return row_extent(layer, 1) * column_extent(layer, 1) * budget.element_bytes;
}

std::uint64_t kernel_bytes(const SwapLayer& layer, const Budget& budget) {
  return std::uint64_t{layer.kernel_elements} * budget.element_bytes;
}

void require_one_channel(const SwapLayer& layer, const Budget& budget) {
  const std::uint64_t window = smallest_input(layer, budget) * layer.operands;
  if (window > budget.buffer_bytes) {
    throw exceeds_buffer(layer, "the input window of one channel", window, budget.buffer_bytes);
  }
  if (layer.has_weights() && kernel_bytes(layer, budget) > budget.buffer_bytes) {
    throw exceeds_buffer(layer, "the kernel of one channel", kernel_bytes(layer, budget), budget.buffer_bytes);
  }
}

/// A split of channels makes separate tiles.
void cut_channelwise(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  const std::uint64_t window = smallest_input(layer, budget);
  cut.tile_channels = split_channels(layer.channels, 1, [&](std::uint32_t channels) {
    return window * channels_read(layer, channels) <= budget.buffer_bytes &&
           std::uint64_t{channels} * budget.element_bytes <= budget.buffer_bytes;
  });
  if (cut.tile_channels == 0) {
    throw exceeds_buffer(layer, "the input of one output element", window * channels_read(layer, 1),
                         budget.buffer_bytes);
  }
}

/// Input channels first: a filter longer than a buffer is cut where the input parts end, so that a chunk needs one cut
/// of the input only. Then output channels, if those of one pixel exceed a buffer.
void cut_dense_type(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  const std::uint64_t buffer = budget.buffer_bytes;
  const std::uint64_t window = smallest_input(layer, budget), kernel = kernel_bytes(layer, budget);
  cut.input_buffers = ceil_divide(window * layer.input_channels, buffer);
  if (layer.filter_channels * kernel > buffer) {
    const std::uint64_t most = std::min(buffer / kernel, buffer / window);
    cut.pieces = static_cast<std::uint32_t>(ceil_divide(layer.filter_channels, most));
    const auto step = static_cast<std::uint32_t>(ceil_divide(layer.filter_channels, cut.pieces));
    cut.pieces = static_cast<std::uint32_t>(ceil_divide(layer.filter_channels, step));
    cut.piece_bytes = step * kernel;
    cut.parts = cut_parts(layer.sources, layer.filter_channels, step);
    // A float32 sum is kept in its output element; an int8 output needs an int32 beside it until its filter is done.
    cut.accumulator_bytes = budget.element_bytes == 1 ? 4 : 0;
  } else if (cut.input_buffers > 1) {
    const std::uint64_t count = ceil_divide(layer.input_channels, buffer / window);
    const auto step = static_cast<std::uint32_t>(ceil_divide(layer.input_channels, count));
    cut.parts = cut_parts(layer.sources, layer.input_channels, step);
  }
  cut.tile_channels = split_channels(layer.channels, 1, [&](std::uint32_t channels) {
    return std::uint64_t{channels} * budget.element_bytes + cut.accumulator_bytes <= buffer;
  });
  if (cut.tile_channels == 0) {
    throw exceeds_buffer(layer, "one output element with its accumulator", budget.element_bytes + cut.accumulator_bytes,
                         buffer);
  }
}

void cut_weights(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  if (!layer.has_weights()) {
    cut.chunk_filters = cut.tile_channels;
    return;
  }
  cut.filter_bytes = layer.filter_channels * kernel_bytes(layer, budget);
  if (cut.pieces > 1) return;
  cut.piece_bytes = cut.filter_bytes;
  cut.chunk_filters = largest_divisor(cut.tile_channels, budget.buffer_bytes / cut.filter_bytes);
}

Cut channels(const SwapLayer& layer, const Budget& budget) {
  require_one_channel(layer, budget);
  Cut cut;
  cut.element_bytes = budget.element_bytes;
  cut.parts = layer.sources;
  if (layer.channelwise) {
    cut_channelwise(layer, budget, cut);
  } else {
    cut_dense_type(layer, budget, cut);
  }
  cut_weights(layer, budget, cut);
  return cut;
}

void map(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  Axis rows, columns;
  for (std::uint32_t tile = 1; tile <= layer.height; ++tile)
    rows.extents.push_back(row_extent(layer, tile));
  for (std::uint32_t tile = 1; tile <= layer.width; ++tile)
    columns.extents.push_back(column_extent(layer, tile));

  std::uint64_t largest_part = 0;
  for (const core::Part& part : cut.parts)
    largest_part = std::max<std::uint64_t>(largest_part, part.channels);
  const std::uint64_t element = budget.element_bytes, buffer = budget.buffer_bytes;
  std::uint64_t input = cut.input_buffers * buffer / (channels_read(layer, cut.tile_channels) * element);
  if (!layer.channelwise) input = std::min(input, buffer / (largest_part * element));
  const TileShape shape =
      fewest_tiles(rows, columns, {input, buffer / (cut.tile_channels * element + cut.accumulator_bytes)});
  cut.tile_height = shape.height;
  cut.tile_width = shape.width;
}

}  // namespace

const RuleSteps halo_rule{channels, map, Lowering::all, core::CardLayout::tile_major};

}  // namespace spillway::tiling
