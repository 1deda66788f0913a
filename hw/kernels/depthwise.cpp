#include <algorithm>
#include <utility>

#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/lowering.hpp"

namespace spillway::kernels {
namespace {

/// A channel with its padding, the columns sorted by their remainder modulo the stride: then the elements that
/// neighbouring outputs read stand side by side, whatever the stride is.
struct PaddedPlane {
  explicit PaddedPlane(const Convolution& layer) {
    const Window& window = layer.window;
    const std::int64_t used_width =
        (layer.output.width - 1) * window.stride_width + (window.kernel_width - 1) * window.dilation_width + 1;
    height = (layer.output.height - 1) * window.stride_height + (window.kernel_height - 1) * window.dilation_height + 1;
    phase_width = divide_up(used_width, window.stride_width);
    row_width = phase_width * window.stride_width;
  }

  std::int64_t position(std::int64_t column, std::int64_t stride) const {
    return column % stride * phase_width + column / stride;
  }

  std::int64_t height = 0, phase_width = 0, row_width = 0;
};

void fill(const Convolution& layer, const PaddedPlane& plane, const float* channel, float* padded) {
  const Window& window = layer.window;
  const std::int64_t stride = window.stride_width;
  for (std::int64_t y = 0; y < plane.height; ++y) {
    float* row = padded + y * plane.row_width;
    const std::int64_t input_row = y - window.pad_top;
    if (input_row < 0 || input_row >= layer.input.height) {
      std::fill_n(row, plane.row_width, 0.0F);
      continue;
    }
    const float* from = channel + input_row * layer.input.width;
    for (std::int64_t phase = 0; phase < stride; ++phase) {
      float* to = row + phase * plane.phase_width;
      const std::int64_t offset = phase - window.pad_left;
      const std::int64_t first = std::min(offset >= 0 ? 0 : divide_up(-offset, stride), plane.phase_width);
      const std::int64_t last = layer.input.width - 1 - offset;
      const std::int64_t end = std::clamp(last < 0 ? 0 : last / stride + 1, first, plane.phase_width);
      std::fill_n(to, first, 0.0F);
      for (std::int64_t x = first; x < end; ++x)
        to[x] = from[offset + x * stride];
      std::fill(to + end, to + plane.phase_width, 0.0F);
    }
  }
}

/// One output row; each argument behind `width` is where an element of the window begins. As arguments, and not as an
/// array, they and the filter stay in registers.
template <std::size_t... taps, typename... Pointers>
void convolve_row(std::index_sequence<taps...>, const float* filter, float* __restrict row, std::int64_t width,
                  Pointers... begins) {
  for (std::int64_t x = 0; x < width; ++x) {
    float sum = 0;
    ((sum = multiply_add(filter[taps], begins[x], sum)), ...);
    row[x] = sum;
  }
}

void convolve_row(const Window& window, const PaddedPlane& plane, const float* padded_row, const float* filter,
                  float* row, std::int64_t width) {
  const auto begin_of = [&](std::int64_t kernel_row, std::int64_t kernel_column) {
    return padded_row + kernel_row * window.dilation_height * plane.row_width +
           plane.position(kernel_column * window.dilation_width, window.stride_width);
  };
  if (window.kernel_height == 3 && window.kernel_width == 3) {
    convolve_row(std::make_index_sequence<9>(), filter, row, width, begin_of(0, 0), begin_of(0, 1), begin_of(0, 2),
                 begin_of(1, 0), begin_of(1, 1), begin_of(1, 2), begin_of(2, 0), begin_of(2, 1), begin_of(2, 2));
    return;
  }
  std::fill_n(row, width, 0.0F);
  for (std::int64_t tap = 0; tap < window.kernel_height * window.kernel_width; ++tap) {
    const float* from = begin_of(tap / window.kernel_width, tap % window.kernel_width);
    for (std::int64_t x = 0; x < width; ++x)
      row[x] = multiply_add(filter[tap], from[x], row[x]);
  }
}

/// Without strides, outputs lie as far apart as the elements that they read: the whole plane is one long row, whose
/// sums between the rows of the map are left out. Rows of a small map are shorter than a vector.
bool keeps_rows(const Convolution& layer) {
  return layer.window.stride_height == 1 && layer.window.stride_width == 1;
}

void convolve_plane(const Convolution& layer, const PaddedPlane& plane, float* padded, const float* filter,
                    float* map) {
  const std::int64_t height = layer.output.height, width = layer.output.width;
  if (!keeps_rows(layer)) {
    for (std::int64_t y = 0; y < height; ++y)
      convolve_row(layer.window, plane, padded + y * layer.window.stride_height * plane.row_width, filter,
                   map + y * width, width);
    return;
  }
  float* const sums = padded + plane.height * plane.row_width;
  convolve_row(layer.window, plane, padded, filter, sums, (height - 1) * plane.row_width + width);
  for (std::int64_t y = 0; y < height; ++y)
    std::copy_n(sums + y * plane.row_width, width, map + y * width);
}

}  // namespace

std::size_t depthwise_scratch_floats(const Convolution& layer) {
  const PaddedPlane plane(layer);
  constexpr std::int64_t line = 16;
  const std::int64_t sums = keeps_rows(layer) ? layer.output.height * plane.row_width : 0;
  return static_cast<std::size_t>(divide_up(plane.height * plane.row_width + sums, line) * line);
}

void run_depthwise(const Convolution& layer, const float* input, const ConvolutionWeights& weights,
                   const float* residual, float* output, const Execution& execution) {
  const Window& window = layer.window;
  const PaddedPlane plane(layer);
  const std::size_t floats = depthwise_scratch_floats(layer);
  const std::int64_t positions = layer.output.height * layer.output.width;
  const std::int64_t filters_of_channel = layer.output.channels / layer.groups;
  for_each_block(layer.batch * layer.output.channels, execution, [&](std::int64_t block, int thread) {
    const std::int64_t filter = block % layer.output.channels, frame = block / layer.output.channels;
    const std::int64_t channel = frame * layer.input.channels + filter / filters_of_channel;
    float* padded = static_cast<float*>(execution.scratch) + static_cast<std::size_t>(thread) * floats;
    fill(layer, plane, input + channel * layer.input.height * layer.input.width, padded);
    float* map = output + block * positions;
    convolve_plane(layer, plane, padded, weights.filters + filter * window.kernel_height * window.kernel_width, map);
    const RowEnd end{weights.bias == nullptr ? nullptr : weights.bias + filter,
                     weights.scale == nullptr ? nullptr : weights.scale + filter,
                     weights.shift == nullptr ? nullptr : weights.shift + filter,
                     residual == nullptr ? nullptr : residual + block * positions};
    finish_row(end, layer.activation, map, positions);
  });
}

}  // namespace spillway::kernels
