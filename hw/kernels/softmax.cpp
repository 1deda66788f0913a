#include <algorithm>
#include <cmath>

#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

void softmax(const float* input, std::int64_t stride, std::int64_t count, bool logarithm, float* output) {
  float largest = input[0];
  for (std::int64_t i = 1; i < count; ++i)
    largest = std::max(largest, input[i * stride]);
  float sum = 0;
  for (std::int64_t i = 0; i < count; ++i) {
    const float power = std::exp(input[i * stride] - largest);
    sum += power;
    output[i * stride] = power;
  }
  const float log_sum = std::log(sum);
  for (std::int64_t i = 0; i < count; ++i)
    output[i * stride] = logarithm ? input[i * stride] - largest - log_sum : output[i * stride] / sum;
}

}  // namespace

void run(const Softmax& layer, const float* input, float* output, const Execution& execution) {
  for_each_block(layer.outer, execution, [&](std::int64_t row, int) {
    for (std::int64_t column = 0; column < layer.inner; ++column) {
      const std::int64_t begin = row * layer.axis * layer.inner + column;
      softmax(input + begin, layer.inner, layer.axis, layer.logarithm, output + begin);
    }
  });
}

}  // namespace spillway::kernels
