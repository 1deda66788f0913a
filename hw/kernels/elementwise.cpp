#include <algorithm>
#include <cmath>

#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

constexpr std::int64_t block_elements = 1 << 14;

template <typename Compute>
void combine(float* left, const float* right, std::int64_t right_stride, std::int64_t count, Compute compute) {
  if (right_stride == 1)
    for (std::int64_t i = 0; i < count; ++i)
      left[i] = compute(left[i], right[i]);
  else
    for (std::int64_t i = 0; i < count; ++i)
      left[i] = compute(left[i], right[i * right_stride]);
}

void combine(Operation operation, float* left, const float* right, std::int64_t stride, std::int64_t count) {
  const auto with = [&](auto compute) { combine(left, right, stride, count, compute); };
  switch (operation) {
    case Operation::add:
    case Operation::mean:
      return with([](float a, float b) { return a + b; });
    case Operation::subtract:
      return with([](float a, float b) { return a - b; });
    case Operation::multiply:
      return with([](float a, float b) { return a * b; });
    case Operation::divide:
      return with([](float a, float b) { return a / b; });
    case Operation::power:
      return with([](float a, float b) { return std::pow(a, b); });
    case Operation::minimum:
      return with([](float a, float b) { return b < a ? b : a; });
    case Operation::maximum:
      return with([](float a, float b) { return b > a ? b : a; });
    case Operation::remainder:
      return with([](float a, float b) { return std::fmod(a, b); });
    case Operation::slope_below_zero:
      return with([](float a, float b) { return a < 0 ? a * b : a; });
  }
}

void load(const float* from, std::int64_t stride, float* to, std::int64_t count) {
  if (stride == 1) {
    if (from != to) std::copy_n(from, count, to);
  } else {
    for (std::int64_t i = 0; i < count; ++i)
      to[i] = from[i * stride];
  }
}

bool is_contiguous(const std::vector<std::int64_t>& strides, const std::vector<std::int64_t>& extents) {
  std::int64_t expected = 1;
  for (std::size_t axis = strides.size(); axis-- > 0;) {
    if (extents[axis] != 1 && strides[axis] != expected) return false;
    expected *= extents[axis];
  }
  return true;
}

/// The element of an operand at the beginning of a row of the output.
std::int64_t offset_of(const Elementwise& layer, const std::vector<std::int64_t>& strides, std::int64_t row) {
  std::int64_t offset = 0;
  for (std::size_t axis = layer.extents.size() - 1; axis-- > 0;) {
    offset += row % layer.extents[axis] * strides[axis];
    row /= layer.extents[axis];
  }
  return offset;
}

/// The operands of a row, combined; the row is all of a block when every operand is contiguous.
void finish(const Elementwise& layer, std::size_t operands, float* to, std::int64_t count) {
  if (layer.operation == Operation::mean)
    for (std::int64_t i = 0; i < count; ++i)
      to[i] /= static_cast<float>(operands);
  activate(layer.activation, to, to, count);
}

}  // namespace

void run(const Elementwise& layer, const float* const* inputs, float* output, const Execution& execution) {
  const std::size_t operands = layer.strides.size();
  std::int64_t elements = 1;
  for (const std::int64_t extent : layer.extents)
    elements *= extent;
  const bool contiguous =
      layer.extents.empty() || std::all_of(layer.strides.begin(), layer.strides.end(), [&](const auto& strides) {
        return strides.empty() || is_contiguous(strides, layer.extents);
      });
  if (contiguous) {
    for_each_block(divide_up(elements, block_elements), execution, [&](std::int64_t block, int) {
      const Range range = range_of(block, block_elements, elements);
      float* to = output + range.begin;
      load(inputs[0] + range.begin, 1, to, range.size());
      for (std::size_t operand = 1; operand < operands; ++operand)
        combine(layer.operation, to, inputs[operand] + range.begin, 1, range.size());
      finish(layer, operands, to, range.size());
    });
    return;
  }
  const std::int64_t width = layer.extents.back(), rows = elements / width;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_elements / width);
  for_each_block(divide_up(rows, block_rows), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, block_rows, rows);
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      float* to = output + row * width;
      for (std::size_t operand = 0; operand < operands; ++operand) {
        const std::vector<std::int64_t>& strides = layer.strides[operand];
        const float* from = inputs[operand] + (strides.empty() ? row * width : offset_of(layer, strides, row));
        const std::int64_t stride = strides.empty() ? 1 : strides.back();
        if (operand == 0)
          load(from, stride, to, width);
        else
          combine(layer.operation, to, from, stride, width);
      }
      finish(layer, operands, to, width);
    }
  });
}

void run(const Pointwise& layer, const float* input, float* output, const Execution& execution) {
  for_each_block(divide_up(layer.elements, block_elements), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, block_elements, layer.elements);
    activate(layer.activation, input + range.begin, output + range.begin, range.size());
  });
}

}  // namespace spillway::kernels
