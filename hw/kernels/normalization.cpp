#include <algorithm>
#include <cmath>

#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

float mean_of(const float* numbers, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i)
    sum += static_cast<double>(numbers[i]);
  return static_cast<float>(sum / static_cast<double>(count));
}

float variance_of(const float* numbers, float mean, std::int64_t count) {
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const double difference = static_cast<double>(numbers[i]) - static_cast<double>(mean);
    sum += difference * difference;
  }
  return static_cast<float>(sum / static_cast<double>(count));
}

/// x / base ^ beta. The exponent of AlexNet and GoogLeNet needs no call of pow.
void divide_by_power(const float* input, float beta, float* base_then_output, std::int64_t count) {
  if (beta == 0.75F)
    for (std::int64_t i = 0; i < count; ++i) {
      const float root = std::sqrt(base_then_output[i]);
      base_then_output[i] = input[i] / (root * std::sqrt(root));
    }
  else
    for (std::int64_t i = 0; i < count; ++i)
      base_then_output[i] = input[i] * std::pow(base_then_output[i], -beta);
}

}  // namespace

void run(const Normalization& layer, const float* input, const float* scale, const float* shift, float* output,
         const Execution& execution) {
  const std::int64_t plane = layer.map.height * layer.map.width;
  for_each_block(layer.batch * layer.map.channels, execution, [&](std::int64_t block, int) {
    const std::int64_t channel = block % layer.map.channels;
    float* map = output + block * plane;
    scale_and_shift(input + block * plane, scale[channel], shift[channel], map, plane);
    activate(layer.activation, map, map, plane);
  });
}

void run(const InstanceNormalization& layer, const float* input, const float* scale, const float* shift, float* output,
         const Execution& execution) {
  const std::int64_t plane = layer.map.height * layer.map.width;
  for_each_block(layer.batch * layer.map.channels, execution, [&](std::int64_t block, int) {
    const float* map = input + block * plane;
    const std::int64_t channel = block % layer.map.channels;
    const float mean = mean_of(map, plane);
    const float factor = scale[channel] / std::sqrt(variance_of(map, mean, plane) + layer.epsilon);
    for (std::int64_t i = 0; i < plane; ++i)
      output[block * plane + i] = multiply_add(map[i] - mean, factor, shift[channel]);
  });
}

void run(const LocalResponseNormalization& layer, const float* input, float* output, const Execution& execution) {
  const std::int64_t plane = layer.map.height * layer.map.width, channels = layer.map.channels;
  const float factor = layer.alpha / static_cast<float>(layer.size);
  for_each_block(layer.batch * channels, execution, [&](std::int64_t block, int) {
    const std::int64_t channel = block % channels;
    const float* frame = input + (block - channel) * plane;
    float* map = output + block * plane;
    const std::int64_t first = std::max<std::int64_t>(0, channel - (layer.size - 1) / 2);
    const std::int64_t last = std::min(channels - 1, channel + layer.size / 2);
    std::fill_n(map, plane, 0.0F);
    for (std::int64_t other = first; other <= last; ++other)
      for (std::int64_t i = 0; i < plane; ++i)
        map[i] = multiply_add(frame[other * plane + i], frame[other * plane + i], map[i]);
    for (std::int64_t i = 0; i < plane; ++i)
      map[i] = multiply_add(factor, map[i], layer.bias);
    divide_by_power(frame + channel * plane, layer.beta, map, plane);
  });
}

}  // namespace spillway::kernels
