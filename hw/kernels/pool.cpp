#include <algorithm>
#include <limits>

#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

/// Elements [begin, end) of a window on an axis, and how many of them lie in the map and its padding.
struct Span {
  std::int64_t first = 0, count = 0, padded = 0;
};

Span span_of(std::int64_t output, std::int64_t stride, std::int64_t kernel, std::int64_t dilation, std::int64_t before,
             std::int64_t extent, std::int64_t after) {
  const std::int64_t origin = output * stride - before;
  Span span;
  for (std::int64_t element = 0; element < kernel; ++element) {
    const std::int64_t position = origin + element * dilation;
    if (position < extent + after) ++span.padded;
    if (position < 0 || position >= extent) continue;
    if (span.count++ == 0) span.first = position;
  }
  return span;
}

std::int64_t row_floats(const Pool& layer) {
  constexpr std::int64_t line = 16;
  return divide_up(layer.input.width, line) * line;
}

/// One channel: the rows of a window first, a vector operation, then the columns.
class ChannelPool {
 public:
  ChannelPool(const Pool& layer, const float* channel, float* row) : layer_(layer), channel_(channel), row_(row) {}

  void run(float* output) {
    const Window& window = layer_.window;
    for (std::int64_t y = 0; y < layer_.output.height; ++y, output += layer_.output.width) {
      rows_ = span_of(y, window.stride_height, window.kernel_height, window.dilation_height, window.pad_top,
                      layer_.input.height, layer_.pad_bottom);
      merge_rows();
      for (std::int64_t x = 0; x < layer_.output.width; ++x)
        output[x] = merge_columns(span_of(x, window.stride_width, window.kernel_width, window.dilation_width,
                                          window.pad_left, layer_.input.width, layer_.pad_right));
    }
  }

 private:
  bool is_max() const { return layer_.kind == PoolKind::max; }

  void merge_rows() {
    const std::int64_t width = layer_.input.width;
    std::fill_n(row_, width, is_max() ? -std::numeric_limits<float>::infinity() : 0.0F);
    for (std::int64_t element = 0; element < rows_.count; ++element) {
      const float* from = channel_ + (rows_.first + element * layer_.window.dilation_height) * width;
      if (is_max())
        for (std::int64_t x = 0; x < width; ++x)
          row_[x] = std::max(row_[x], from[x]);
      else
        for (std::int64_t x = 0; x < width; ++x)
          row_[x] += from[x];
    }
  }

  float merge_columns(const Span& columns) const {
    const std::int64_t step = layer_.window.dilation_width;
    float result = is_max() ? -std::numeric_limits<float>::infinity() : 0.0F;
    for (std::int64_t element = 0; element < columns.count; ++element) {
      const float number = row_[columns.first + element * step];
      result = is_max() ? std::max(result, number) : result + number;
    }
    if (is_max()) return result;
    const bool padded = layer_.kind == PoolKind::average_padded;
    return result / static_cast<float>(padded ? rows_.padded * columns.padded : rows_.count * columns.count);
  }

  const Pool& layer_;
  const float* channel_;
  float* row_;
  Span rows_;
};

}  // namespace

std::size_t scratch_bytes(const Pool& layer, int threads) {
  return static_cast<std::size_t>(threads * row_floats(layer)) * sizeof(float);
}

std::int64_t blocks(const Pool& layer) {
  return layer.batch * layer.input.channels;
}

void run(const Pool& layer, const float* input, float* output, const Execution& execution) {
  const std::int64_t input_plane = layer.input.height * layer.input.width;
  const std::int64_t output_plane = layer.output.height * layer.output.width;
  for_each_block(blocks(layer), execution, [&](std::int64_t block, int thread) {
    float* row = static_cast<float*>(execution.scratch) + thread * row_floats(layer);
    ChannelPool(layer, input + block * input_plane, row).run(output + block * output_plane);
  });
}

}  // namespace spillway::kernels
