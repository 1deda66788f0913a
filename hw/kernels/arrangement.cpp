// Layers that move numbers without changing them.
#include <algorithm>
#include <numeric>

#include "hw/kernels/parallel.hpp"

namespace spillway::kernels {
namespace {

constexpr std::int64_t block_elements = 1 << 14;

std::int64_t product(const std::vector<std::int64_t>& extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

/// Where in an input axis an element of the padded axis comes from; -1: it is new.
std::int64_t source_of(std::int64_t position, std::int64_t extent, PadKind kind) {
  if (position >= 0 && position < extent) return position;
  if (kind == PadKind::constant) return -1;
  if (kind == PadKind::edge) return position < 0 ? 0 : extent - 1;
  const std::int64_t period = std::max<std::int64_t>(1, 2 * (extent - 1));
  const std::int64_t phase = (position % period + period) % period;
  return phase < extent ? phase : period - phase;
}

/// The input element behind an element of the padded array; -1: it is new.
std::int64_t source_of(const Pad& layer, std::int64_t element) {
  std::int64_t source = 0, stride = 1;
  for (std::size_t axis = layer.extents.size(); axis-- > 0;) {
    const std::int64_t extent = layer.before[axis] + layer.extents[axis] + layer.after[axis];
    const std::int64_t position = source_of(element % extent - layer.before[axis], layer.extents[axis], layer.kind);
    if (position < 0) return -1;
    source += position * stride;
    element /= extent;
    stride *= layer.extents[axis];
  }
  return source;
}

}  // namespace

void run(const Concat& layer, const float* const* inputs, float* output, const Execution& execution) {
  const std::int64_t row = std::accumulate(layer.parts.begin(), layer.parts.end(), std::int64_t{0});
  std::int64_t offset = 0;
  for (std::size_t input = 0; input < layer.parts.size(); ++input) {
    const std::int64_t part = layer.parts[input];
    const std::int64_t pieces = divide_up(part, block_elements);
    Execution quiet = execution;
    quiet.progress = nullptr;
    for_each_block(layer.outer * pieces, quiet, [&](std::int64_t block, int) {
      const Range piece = range_of(block % pieces, block_elements, part);
      const float* from = inputs[input] + block / pieces * part;
      std::copy(from + piece.begin, from + piece.end, output + block / pieces * row + offset + piece.begin);
    });
    offset += part;
  }
  if (execution.progress != nullptr) execution.progress(execution.progress_argument);
}

void run(const Rearrangement& layer, const float* input, float* output, const Execution& execution) {
  if (layer.extents.empty()) {
    output[0] = input[layer.offset];
    return;
  }
  const std::int64_t width = layer.extents.back(), stride = layer.strides.back();
  const std::int64_t rows = width == 0 ? 0 : product(layer.extents) / width;
  const std::int64_t block_rows = std::max<std::int64_t>(1, block_elements / std::max<std::int64_t>(1, width));
  for_each_block(divide_up(rows, block_rows), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, block_rows, rows);
    for (std::int64_t row = range.begin; row < range.end; ++row) {
      std::int64_t from = layer.offset, rest = row;
      for (std::size_t axis = layer.extents.size() - 1; axis-- > 0;) {
        from += rest % layer.extents[axis] * layer.strides[axis];
        rest /= layer.extents[axis];
      }
      for (std::int64_t column = 0; column < width; ++column)
        output[row * width + column] = input[from + column * stride];
    }
  });
}

void run(const Pad& layer, const float* input, float* output, const Execution& execution) {
  std::int64_t elements = 1;
  for (std::size_t axis = 0; axis < layer.extents.size(); ++axis)
    elements *= layer.before[axis] + layer.extents[axis] + layer.after[axis];
  for_each_block(divide_up(elements, block_elements), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, block_elements, elements);
    for (std::int64_t element = range.begin; element < range.end; ++element) {
      const std::int64_t source = source_of(layer, element);
      output[element] = source < 0 ? layer.value : input[source];
    }
  });
}

void run(const Copy& layer, const float* input, float* output, const Execution& execution) {
  for_each_block(divide_up(layer.elements, block_elements), execution, [&](std::int64_t block, int) {
    const Range range = range_of(block, block_elements, layer.elements);
    std::copy(input + range.begin, input + range.end, output + range.begin);
  });
}

}  // namespace spillway::kernels
