#include "hw/linux/float32_kernels.hpp"

#include <algorithm>

#include "sim/core/geometry.hpp"

namespace spillway::execution {
namespace {

using core::Layer;
using core::Range;

/// One task in float32.
class Task {
 public:
  Task(const Layer& layer, const LayerOperator& layer_operator, const FloatLayer& numbers, const TileJob& job)
      : layer_(layer), operator_(layer_operator), numbers_(numbers), job_(job) {
    height_ = layer.flattened ? 1 : layer.input_height;
    width_ = layer.flattened ? 1 : layer.input_width;
  }

  void compute() {
    switch (operator_.kernel) {
      case Kernel::convolution:
      case Kernel::dense:
        return sums_of_products();
      case Kernel::depthwise:
        return for_each_output([this](std::uint32_t y, std::uint32_t x, std::uint32_t c) { return depthwise(y, x, c); });
      case Kernel::max_pool:
        return for_each_output([this](std::uint32_t y, std::uint32_t x, std::uint32_t c) { return largest(y, x, c); });
      case Kernel::average_pool:
        return for_each_output([this](std::uint32_t y, std::uint32_t x, std::uint32_t c) { return mean(y, x, c); });
      case Kernel::addition:
        return for_each_output([this](std::uint32_t y, std::uint32_t x, std::uint32_t c) { return sum(y, x, c); });
    }
  }

 private:
  const int8::Window& window() const { return operator_.window; }
  float clamped(float value) const { return std::clamp(value, numbers_.minimum, numbers_.maximum); }
  float bias_of(std::uint32_t channel) const { return numbers_.bias == nullptr ? 0 : numbers_.bias[channel]; }

  float& output(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    const core::Region& box = job_.output_box;
    const std::uint32_t at =
        ((y - box.rows.first) * box.columns.size() + (x - box.columns.first)) * box.channels.size() +
        (c - box.channels.first);
    return reinterpret_cast<float*>(job_.output)[at];
  }

  /// The input's row or column that an element of the window reads; beyond the map where it lies in the padding.
  std::uint32_t row(std::uint32_t y, std::uint32_t i) const {
    return y * window().stride_height + i * window().dilation_height - window().pad_top;
  }
  std::uint32_t column(std::uint32_t x, std::uint32_t j) const {
    return x * window().stride_width + j * window().dilation_width - window().pad_left;
  }

  /// Calls `take(first channel, numbers, count)` for the runs of a patch's channels at a position of the map.
  template <class Take>
  static void runs(const int8::Patch& patch, std::uint32_t y, std::uint32_t x, Range channels, const Take& take) {
    const core::Region& box = patch.box;
    if (y < box.rows.first || y >= box.rows.last || x < box.columns.first || x >= box.columns.last) return;
    const Range common = core::common(box.channels, channels);
    const std::uint32_t pixel = (y - box.rows.first) * box.columns.size() + (x - box.columns.first);
    std::uint32_t byte =
        patch.first_byte +
        (pixel * box.channels.size() + (common.first - box.channels.first)) * std::uint32_t{sizeof(float)};
    for (std::uint32_t c = common.first; c < common.last;) {
      const auto count =
          std::min<std::uint32_t>(common.last - c, patch.chain.left(byte) / std::uint32_t{sizeof(float)});
      take(c, reinterpret_cast<const float*>(patch.chain.at(byte)), count);
      c += count;
      byte += count * std::uint32_t{sizeof(float)};
    }
  }

  /// Convolution and dense: the chunk's share of the sums.
  void sums_of_products() {
    const std::uint32_t piece = job_.task.index % layer_.pieces;
    const bool begins = piece == 0, ends = piece + 1 == layer_.pieces;
    const core::Region& box = job_.output_box;
    const auto* weights = reinterpret_cast<const float*>(job_.weights);
    const std::uint32_t taps = std::uint32_t{window().kernel_height} * window().kernel_width;
    for (std::uint32_t filter = job_.filters.first; filter < job_.filters.last; ++filter) {
      for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
        for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x) {
          float& value = output(y, x, filter);
          const float so_far = begins ? bias_of(filter) : value;
          value = so_far + products(filter, weights, y, x);
          if (ends) value = clamped(value);
        }
      }
      weights += job_.filter_channels.size() * taps;
    }
  }

  /// The products of one output with the filter's weights in the chunk: by part, kernel row, kernel column, channel.
  float products(std::uint32_t filter, const float* weights, std::uint32_t y, std::uint32_t x) const {
    const bool dense = operator_.kernel == Kernel::dense;
    const std::uint32_t base = dense ? 0 : filter / operator_.group_filters * operator_.filter_channels;
    const Range own{base + job_.filter_channels.first, base + job_.filter_channels.last};
    float sum = 0;
    for (const Range& part : job_.parts) {
      const Range channels = core::common(part, own);
      for (std::uint32_t i = 0; i < window().kernel_height; ++i) {
        for (std::uint32_t j = 0; j < window().kernel_width; ++j, weights += channels.size()) {
          const std::uint32_t in_row = dense ? 0 : row(y, i), in_column = dense ? 0 : column(x, j);
          if (channels.empty() || in_row >= height_ || in_column >= width_) continue;
          for (const int8::Patch& patch : job_.patches) {
            runs(patch, in_row, in_column, channels, [&](std::uint32_t c, const float* numbers, std::uint32_t count) {
              const float* const by = weights + (c - channels.first);
              for (std::uint32_t k = 0; k < count; ++k)
                sum += numbers[k] * by[k];
            });
          }
        }
      }
    }
    return sum;
  }

  template <class Compute>
  void for_each_output(const Compute& value_of) const {
    const core::Region& box = job_.output_box;
    for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y) {
      for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x) {
        for (std::uint32_t c = job_.filters.first; c < job_.filters.last; ++c)
          output(y, x, c) = clamped(value_of(y, x, c));
      }
    }
  }

  /// Calls `take(number of the tap, value)` for the elements of a channel's window that lie in the map.
  template <class Take>
  void over_window(std::uint32_t y, std::uint32_t x, std::uint32_t c, const Take& take) const {
    for (std::uint32_t i = 0; i < window().kernel_height; ++i) {
      for (std::uint32_t j = 0; j < window().kernel_width; ++j) {
        if (row(y, i) >= height_ || column(x, j) >= width_) continue;
        for (const int8::Patch& patch : job_.patches) {
          runs(patch, row(y, i), column(x, j), {c, c + 1}, [&](std::uint32_t, const float* number, std::uint32_t) {
            take(i * window().kernel_width + j, *number);
          });
        }
      }
    }
  }

  float depthwise(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    const std::uint32_t taps = std::uint32_t{window().kernel_height} * window().kernel_width;
    const float* const weights = reinterpret_cast<const float*>(job_.weights) + (c - job_.filters.first) * taps;
    float sum = bias_of(c);
    over_window(y, x, c, [&](std::uint32_t tap, float value) { sum += value * weights[tap]; });
    return sum;
  }

  float largest(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    float most = -std::numeric_limits<float>::infinity();
    over_window(y, x, c, [&](std::uint32_t, float value) { most = std::max(most, value); });
    return most;
  }

  float mean(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    float sum = 0;
    std::uint32_t count = 0;
    over_window(y, x, c, [&](std::uint32_t, float value) {
      sum += value;
      ++count;
    });
    if (operator_.count_padding) count = padded_count(y, x);
    return sum / static_cast<float>(count);
  }

  /// Elements of a window that lie in the map or its padding.
  std::uint32_t padded_count(std::uint32_t y, std::uint32_t x) const {
    std::uint32_t rows = 0, columns = 0;
    for (std::uint32_t i = 0; i < window().kernel_height; ++i)
      rows += row(y, i) + window().pad_top < height_ + window().pad_top + operator_.pad_bottom;
    for (std::uint32_t j = 0; j < window().kernel_width; ++j)
      columns += column(x, j) + window().pad_left < width_ + window().pad_left + operator_.pad_right;
    return rows * columns;
  }

  /// Of an addition: every operand has one patch, or several that do not overlap, with the element.
  float sum(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    float all = 0;
    for (const int8::Patch& patch : job_.patches)
      runs(patch, y, x, {c, c + 1}, [&](std::uint32_t, const float* number, std::uint32_t) { all += *number; });
    return all;
  }

  const Layer& layer_;
  const LayerOperator& operator_;
  const FloatLayer& numbers_;
  const TileJob& job_;
  std::uint32_t height_ = 1, width_ = 1;
};

}  // namespace

std::function<void(const TileJob&)> float32_kernels(const core::Plan& plan, std::span<const LayerOperator> operators,
                                                    std::span<const FloatLayer> layers) {
  return [layers_of_plan = plan.layers, operators, layers](const TileJob& job) {
    const std::size_t row = job.task.layer;
    Task(layers_of_plan[row], operators[row], layers[row], job).compute();
  };
}

}  // namespace spillway::execution
