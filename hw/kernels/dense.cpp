#include <algorithm>

#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/lowering.hpp"
#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

/// The sum in 32 parts, then those from the first to the last, whatever the width of the machine's vectors is.
float dot(const float* a, const float* b, std::int64_t count) {
  constexpr std::int64_t lanes = 32;
  float parts[lanes] = {};
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    for (std::int64_t lane = 0; lane < lanes; ++lane)
      parts[lane] = multiply_add(a[i + lane], b[i + lane], parts[lane]);
  float sum = 0;
  for (const float part : parts)
    sum += part;
  for (; i < count; ++i)
    sum = multiply_add(a[i], b[i], sum);
  return sum;
}

struct Matrix {
  const float* begin = nullptr;
  std::int64_t row_stride = 1, column_stride = 1;

  float at(std::int64_t row, std::int64_t column) const { return begin[row * row_stride + column * column_stride]; }
};

}  // namespace

void run(const Dense& layer, const float* input, const DenseWeights& weights, float* output,
         const Execution& execution) {
  for_each_block(blocks(layer), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, dense_block, layer.outputs);
    for (std::int64_t number = range.begin; number < range.end; ++number)
      for (std::int64_t frame = 0; frame < layer.batch; ++frame) {
        const float sum = dot(weights.weights + number * layer.inputs, input + frame * layer.inputs, layer.inputs);
        output[frame * layer.outputs + number] = weights.bias == nullptr ? sum : sum + weights.bias[number];
      }
    for (std::int64_t frame = 0; frame < layer.batch; ++frame) {
      float* row = output + frame * layer.outputs + range.begin;
      activate(layer.activation, row, row, range.size());
    }
  });
}

void run(const MatrixProduct& layer, const float* left, const float* right, float* output, const Execution& execution) {
  for_each_block(layer.batch * layer.rows, execution, [&](std::int64_t block, int) {
    const std::int64_t product = block / layer.rows, row = block % layer.rows;
    const auto index = [product](const std::vector<std::int64_t>& indices) {
      return indices.empty() ? product : indices[static_cast<std::size_t>(product)];
    };
    Matrix a{left + index(layer.left_index) * layer.rows * layer.inner, layer.inner, 1};
    if (layer.left_transposed) a = {a.begin, 1, layer.rows};
    Matrix b{right + index(layer.right_index) * layer.inner * layer.columns, layer.columns, 1};
    if (layer.right_transposed) b = {b.begin, 1, layer.inner};
    float* to = output + block * layer.columns;
    std::fill_n(to, layer.columns, 0.0F);
    for (std::int64_t i = 0; i < layer.inner; ++i)
      for (std::int64_t column = 0; column < layer.columns; ++column)
        to[column] = multiply_add(a.at(row, i), b.at(i, column), to[column]);
    for (std::int64_t column = 0; column < layer.columns; ++column)
      to[column] *= layer.factor;
  });
}

}  // namespace spillway::kernels
