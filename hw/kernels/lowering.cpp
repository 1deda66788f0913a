#include "hw/kernels/lowering.hpp"

#include <algorithm>

namespace spillway::kernels {
namespace {

/// Positions of a block: enough for the packing of the filters to count little, and few enough for the lowered matrix
/// to stay in a cache.
std::int64_t positions_of_block(const Convolution& layer) {
  const std::int64_t inner =
      layer.input.channels / layer.groups * layer.window.kernel_height * layer.window.kernel_width;
  constexpr std::int64_t least = 384, most = 1536, floats_in_cache = 1 << 18;
  return std::clamp(floats_in_cache / inner, least, most);
}

/// Output columns [first, end) whose window element `offset` columns into the map lies inside it.
Range columns_inside(const Convolution& layer, std::int64_t offset) {
  const std::int64_t stride = layer.window.stride_width, width = layer.output.width;
  const std::int64_t first = offset >= 0 ? 0 : divide_up(-offset, stride);
  const std::int64_t last = layer.input.width - 1 - offset;
  const std::int64_t end = last < 0 ? 0 : last / stride + 1;
  return {std::min(first, width), std::clamp(end, std::min(first, width), width)};
}

void lower_row(const float* input_row, std::int64_t offset, std::int64_t stride, Range inside, std::int64_t width,
               float* row) {
  std::fill_n(row, inside.begin, 0.0F);
  const float* from = input_row + offset;
  if (stride == 1)
    std::copy(from + inside.begin, from + inside.end, row + inside.begin);
  else
    for (std::int64_t x = inside.begin; x < inside.end; ++x)
      row[x] = from[x * stride];
  std::fill(row + inside.end, row + width, 0.0F);
}

/// Whether neighbouring output rows read neighbouring input rows of the same width: then they are copied at once.
bool keeps_rows(const Convolution& layer) {
  return layer.window.stride_height == 1 && layer.window.stride_width == 1 && layer.input.width == layer.output.width;
}

/// The element of each window that lies `row_offset` rows and `offset` columns into a channel: rows that are copied as
/// one piece, then zeros where a window leaves the map.
void lower_rows(const Convolution& layer, const float* channel, std::int64_t row_offset, std::int64_t offset,
                Range inside, Range rows, float* matrix) {
  const std::int64_t width = layer.output.width;
  const std::int64_t first = std::clamp(-row_offset, rows.begin, rows.end);
  const std::int64_t end = std::clamp(layer.input.height - row_offset, first, rows.end);
  std::fill_n(matrix, (first - rows.begin) * width, 0.0F);
  float* const copied = matrix + (first - rows.begin) * width;
  // The columns outside would be read before the channel's begin or behind its end; they become zero below.
  const std::int64_t count = (end - first) * width;
  const std::int64_t lead = std::min(std::max<std::int64_t>(0, -offset), count);
  const std::int64_t trail = std::min(std::max<std::int64_t>(0, offset), count - lead);
  const float* const from = channel + (first + row_offset) * width + offset;
  if (count > lead + trail) std::copy(from + lead, from + count - trail, copied + lead);
  for (float* row = copied; row < copied + count; row += width) {
    std::fill(row, row + inside.begin, 0.0F);
    std::fill(row + inside.end, row + width, 0.0F);
  }
  std::fill_n(copied + count, (rows.end - end) * width, 0.0F);
}

}  // namespace

bool is_pointwise(const Convolution& layer) {
  const Window& window = layer.window;
  return window.kernel_height == 1 && window.kernel_width == 1 && window.stride_height == 1 &&
         window.stride_width == 1 && window.pad_top == 0 && window.pad_left == 0 &&
         layer.input.height == layer.output.height && layer.input.width == layer.output.width;
}

bool is_depthwise(const Convolution& layer) {
  return layer.groups > 1 && layer.groups == layer.input.channels;
}

ConvolutionBlocks blocks_of(const Convolution& layer) {
  constexpr std::int64_t least_blocks = 4, filter_step = 16;  // for threads to share; what a kernel takes at once
  ConvolutionBlocks blocks;
  const std::int64_t height = layer.output.height, filters = layer.output.channels / layer.groups;
  const std::int64_t most_rows = std::max<std::int64_t>(1, positions_of_block(layer) / layer.output.width);
  blocks.rows = divide_up(height, divide_up(height, most_rows));
  blocks.row_blocks = divide_up(height, blocks.rows);
  const std::int64_t filter_blocks = divide_up(least_blocks, blocks.row_blocks * layer.groups);
  blocks.filters = divide_up(divide_up(filters, filter_blocks), filter_step) * filter_step;
  blocks.filter_blocks = divide_up(filters, blocks.filters);
  blocks.count = layer.batch * layer.groups * blocks.row_blocks * blocks.filter_blocks;
  return blocks;
}

void lower_windows(const Convolution& layer, const float* input, Range channels, Range rows, float* matrix) {
  const Window& window = layer.window;
  const Map& map = layer.input;
  const std::int64_t width = layer.output.width;
  matrix += channels.begin * window.kernel_height * window.kernel_width * rows.size() * width;
  for (std::int64_t channel = channels.begin; channel < channels.end; ++channel)
    for (std::int64_t kernel_row = 0; kernel_row < window.kernel_height; ++kernel_row)
      for (std::int64_t kernel_column = 0; kernel_column < window.kernel_width; ++kernel_column) {
        const std::int64_t offset = kernel_column * window.dilation_width - window.pad_left;
        const Range inside = columns_inside(layer, offset);
        if (keeps_rows(layer)) {
          lower_rows(layer, input + channel * map.height * map.width,
                     kernel_row * window.dilation_height - window.pad_top, offset, inside, rows, matrix);
          matrix += rows.size() * width;
          continue;
        }
        for (std::int64_t y = rows.begin; y < rows.end; ++y, matrix += width) {
          const std::int64_t row = y * window.stride_height + kernel_row * window.dilation_height - window.pad_top;
          if (row < 0 || row >= map.height)
            std::fill_n(matrix, width, 0.0F);
          else
            lower_row(input + (channel * map.height + row) * map.width, offset, window.stride_width, inside, width,
                      matrix);
        }
      }
}

}  // namespace spillway::kernels
