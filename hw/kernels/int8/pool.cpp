#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Elements first, first + step, ... of a window that lie in the map along one axis.
struct Inside {
  std::uint32_t first = 0, count = 0;
};

Inside inside(std::int32_t start, std::uint32_t kernel, std::uint32_t dilation, std::uint32_t extent) {
  Inside result;
  for (std::uint32_t i = 0; i < kernel; ++i) {
    const std::uint32_t position = static_cast<std::uint32_t>(start) + i * dilation;
    if (position < extent && result.count++ == 0) result.first = position;
  }
  return result;
}

/// The elements of a window that lie in the map.
struct Elements {
  Inside rows, columns;
};

Elements elements_of(const Window& window, const Input& input, std::uint32_t y, std::uint32_t x) {
  return {inside(window_start(y, window.stride_height, window.pad_top), window.kernel_height, window.dilation_height,
                 input.height),
          inside(window_start(x, window.stride_width, window.pad_left), window.kernel_width, window.dilation_width,
                 input.width)};
}

/// Calls take(channel, pointer, count) for runs of each element's channels.
template <typename Take>
void read_elements(const Window& window, const Input& input, const Elements& elements, core::Range channels,
                   const Take& take) {
  for (std::uint32_t i = 0; i < elements.rows.count; ++i)
    for (std::uint32_t j = 0; j < elements.columns.count; ++j) {
      std::uint32_t channel = 0;
      const auto each = [&](const std::int8_t* run, std::uint32_t count) {
        take(channel, run, count);
        channel += count;
      };
      read_column(input, static_cast<std::int32_t>(elements.rows.first + i * window.dilation_height),
                  static_cast<std::int32_t>(elements.columns.first + j * window.dilation_width), channels, each);
    }
}

/// Calls compute(y, x, where its channels go) for each position of the tile.
template <typename Compute>
void for_each_position(const Output& output, const Compute& compute) {
  std::int8_t* to = output.values;
  for (std::uint32_t y = output.box.rows.first; y < output.box.rows.last; ++y)
    for (std::uint32_t x = output.box.columns.first; x < output.box.columns.last; ++x, to += output.box.channels.size())
      compute(y, x, to);
}

/// Elements of a window along one axis that lie in the map or its padding.
std::uint32_t padded(std::int32_t start, std::uint32_t kernel, std::uint32_t dilation, std::uint32_t end) {
  std::uint32_t count = 0;
  for (std::uint32_t i = 0; i < kernel; ++i)
    if (start + static_cast<std::int32_t>(i * dilation) < static_cast<std::int32_t>(end)) ++count;
  return count;
}

Rescale mean_of(const AveragePool& layer, const Input& input, std::uint32_t y, std::uint32_t x,
                const Elements& elements) {
  if (layer.by_count.size() == 1) return layer.by_count.front();
  std::uint32_t count = elements.rows.count * elements.columns.count;
  const Window& window = layer.window;
  if (layer.count_padding)
    count = padded(window_start(y, window.stride_height, window.pad_top), window.kernel_height, window.dilation_height,
                   input.height + layer.pad_bottom) *
            padded(window_start(x, window.stride_width, window.pad_left), window.kernel_width, window.dilation_width,
                   input.width + layer.pad_right);
  return layer.by_count[count - 1];
}

/// Channels whose sums are kept at a time.
constexpr std::uint32_t block_channels = 32;

}  // namespace

void pool(const MaxPool& layer, const Input& input, const Output& output) {
  const std::uint32_t channels = output.box.channels.size();
  for_each_position(output, [&](std::uint32_t y, std::uint32_t x, std::int8_t* to) {
    for (std::uint32_t c = 0; c < channels; ++c)
      to[c] = layer.clamp.low;
    read_elements(layer.window, input, elements_of(layer.window, input, y, x), output.box.channels,
                  [to](std::uint32_t channel, const std::int8_t* run, std::uint32_t count) {
                    std::int8_t* const most = to + channel;
                    for (std::uint32_t i = 0; i < count; ++i)
                      if (run[i] > most[i]) most[i] = run[i];
                  });
    if (layer.clamp.high == 127) return;
    for (std::uint32_t c = 0; c < channels; ++c)
      if (to[c] > layer.clamp.high) to[c] = layer.clamp.high;
  });
}

void pool(const AveragePool& layer, const Input& input, const Output& output) {
  for_each_position(output, [&](std::uint32_t y, std::uint32_t x, std::int8_t* to) {
    const Elements elements = elements_of(layer.window, input, y, x);
    const Requantizer mean(mean_of(layer, input, y, x, elements), layer.clamp);
    for (std::uint32_t first = output.box.channels.first; first < output.box.channels.last; first += block_channels) {
      const core::Range block{first, less(output.box.channels.last, first + block_channels)};
      std::int32_t sums[block_channels] = {};
      read_elements(layer.window, input, elements, block,
                    [&sums](std::uint32_t channel, const std::int8_t* run, std::uint32_t count) {
                      for (std::uint32_t i = 0; i < count; ++i)
                        sums[channel + i] += run[i];
                    });
      for (std::uint32_t c = 0; c < block.size(); ++c)
        to[first - output.box.channels.first + c] = mean(sums[c]);
    }
  });
}

}  // namespace spillway::int8
