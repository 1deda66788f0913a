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

/// Columns of the output whose windows lie inside the map.
Range inside_columns(const Pool& layer) {
  const Window& window = layer.window;
  const std::int64_t span = (window.kernel_width - 1) * window.dilation_width + 1;
  const std::int64_t begin = std::min(divide_up(window.pad_left, window.stride_width), layer.output.width);
  const std::int64_t room = layer.input.width + window.pad_left - span;
  const std::int64_t end = room < 0 ? 0 : room / window.stride_width + 1;
  return {begin, std::clamp(end, begin, layer.output.width)};
}

std::int64_t row_floats(const Pool& layer) {
  constexpr std::int64_t line = 16;
  return divide_up(layer.input.width, line) * line;
}

/// One channel: the rows of a window first, a vector operation, then the columns.
class ChannelPool {
 public:
  ChannelPool(const Pool& layer, const float* channel, float* row)
      : layer_(layer), channel_(channel), row_(row), inside_(inside_columns(layer)) {}

  void run(float* output) {
    const Window& window = layer_.window;
    for (std::int64_t y = 0; y < layer_.output.height; ++y, output += layer_.output.width) {
      rows_ = span_of(y, window.stride_height, window.kernel_height, window.dilation_height, window.pad_top,
                      layer_.input.height, layer_.pad_bottom);
      merge_rows();
      merge_border({0, inside_.begin}, output);
      if (is_max())
        merge_inside(output, [](float a, float b) { return std::max(a, b); });
      else
        merge_inside(output, [](float a, float b) { return a + b; });
      merge_border({inside_.end, layer_.output.width}, output);
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

  /// Windows that are not all inside the map.
  void merge_border(Range columns, float* output) const {
    const Window& window = layer_.window;
    for (std::int64_t x = columns.begin; x < columns.end; ++x) {
      const Span span = span_of(x, window.stride_width, window.kernel_width, window.dilation_width, window.pad_left,
                                layer_.input.width, layer_.pad_right);
      float result = is_max() ? -std::numeric_limits<float>::infinity() : 0.0F;
      for (std::int64_t element = 0; element < span.count; ++element) {
        const float number = row_[span.first + element * window.dilation_width];
        result = is_max() ? std::max(result, number) : result + number;
      }
      output[x] = is_max() ? result : result / elements(span.count, span.padded);
    }
  }

  template <typename Merge>
  void merge_inside(float* output, Merge merge) const {
    const Window& window = layer_.window;
    const std::int64_t stride = window.stride_width, count = inside_.size();
    const float* const from = row_ + inside_.begin * stride - window.pad_left;
    float* const to = output + inside_.begin;
    for (std::int64_t x = 0; x < count; ++x)
      to[x] = from[x * stride];
    for (std::int64_t element = 1; element < window.kernel_width; ++element) {
      const float* const next = from + element * window.dilation_width;
      if (stride == 1)  // neighbours: a vector operation
        for (std::int64_t x = 0; x < count; ++x)
          to[x] = merge(to[x], next[x]);
      else
        for (std::int64_t x = 0; x < count; ++x)
          to[x] = merge(to[x], next[x * stride]);
    }
    if (is_max()) return;
    const float divisor = elements(window.kernel_width, window.kernel_width);
    for (std::int64_t x = 0; x < count; ++x)
      to[x] /= divisor;
  }

  /// Elements that a mean is over, for a window of which so many columns lie in the map, and in it and its padding.
  float elements(std::int64_t columns, std::int64_t padded_columns) const {
    return static_cast<float>(layer_.kind == PoolKind::average_padded ? rows_.padded * padded_columns
                                                                      : rows_.count * columns);
  }

  const Pool& layer_;
  const float* channel_;
  float* row_;
  Range inside_;  ///< columns of the output whose windows lie inside the map
  Span rows_;
};

}  // namespace

std::size_t scratch_bytes(const Pool& layer, int threads) {
  return static_cast<std::size_t>(threads * row_floats(layer)) * sizeof(float);
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
