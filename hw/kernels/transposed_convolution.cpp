#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

/// Adds what one element of a filter makes of one input channel.
void scatter(const TransposedConvolution& layer, std::int64_t kernel_row, std::int64_t kernel_column, float weight,
             const float* channel, float* map) {
  const Window& window = layer.window;
  for (std::int64_t y = 0; y < layer.input.height; ++y) {
    const std::int64_t row = y * window.stride_height + kernel_row * window.dilation_height - window.pad_top;
    if (row < 0 || row >= layer.output.height) continue;
    for (std::int64_t x = 0; x < layer.input.width; ++x) {
      const std::int64_t column = x * window.stride_width + kernel_column * window.dilation_width - window.pad_left;
      if (column < 0 || column >= layer.output.width) continue;
      float& sum = map[row * layer.output.width + column];
      sum = multiply_add(weight, channel[y * layer.input.width + x], sum);
    }
  }
}

}  // namespace

void run(const TransposedConvolution& layer, const float* input, const float* filters, const float* bias, float* output,
         const Execution& execution) {
  const Window& window = layer.window;
  const std::int64_t channels = layer.input.channels / layer.groups, maps = layer.output.channels / layer.groups;
  const std::int64_t input_plane = layer.input.height * layer.input.width;
  const std::int64_t output_plane = layer.output.height * layer.output.width;
  const std::int64_t taps = window.kernel_height * window.kernel_width;
  for_each_block(layer.batch * layer.output.channels, execution, [&](std::int64_t block, int) {
    const std::int64_t number = block % layer.output.channels, frame = block / layer.output.channels;
    const std::int64_t group = number / maps;
    float* map = output + block * output_plane;
    for (std::int64_t i = 0; i < output_plane; ++i)
      map[i] = bias == nullptr ? 0 : bias[number];
    for (std::int64_t channel = group * channels; channel < (group + 1) * channels; ++channel)
      for (std::int64_t tap = 0; tap < taps; ++tap)
        scatter(layer, tap / window.kernel_width, tap % window.kernel_width,
                filters[(channel * maps + number % maps) * taps + tap],
                input + (frame * layer.input.channels + channel) * input_plane, map);
    activate(layer.activation, map, map, output_plane);
  });
}

}  // namespace spillway::kernels
