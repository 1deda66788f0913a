#pragma once

#include <cstdint>

#include "hw/kernels/int8/requantize.hpp"

/// The kernels' inner loops in plain C++ (arithmetic_dsp.hpp has them for a Cortex-M7).
namespace spillway::int8 {

/// Elements of a column stand in an order that only this file knows, in whole groups of so many.
inline constexpr std::uint32_t column_group = 4;

/// Writes a column, the inputs of one output, from runs of int8.
class ColumnWriter {
 public:
  explicit ColumnWriter(std::int16_t* column) : at_(column), begin_(column) {}

  void append(const std::int8_t* from, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      at_[i] = from[i];
    at_ += count;
  }

  void append_zeros(std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      at_[i] = 0;
    at_ += count;
  }

  /// Fills the last group with zeros.
  void finish() {
    while ((at_ - begin_) % column_group != 0)
      *at_++ = 0;
  }

 private:
  std::int16_t* at_;
  std::int16_t* begin_;
};

/// sums[f][p] += the dot product of filter f and column p over `count` elements.
template <int filters, int pixels>
void multiply_columns(const std::int8_t* const (&weights)[filters], const std::int16_t* const (&columns)[pixels],
                      std::uint32_t count, std::int32_t (&sums)[filters][pixels]) {
  for (int f = 0; f < filters; ++f)
    for (int p = 0; p < pixels; ++p) {
      const std::int8_t* const filter = weights[f];
      const std::int16_t* const column = columns[p];
      std::int32_t sum = 0;
      for (std::uint32_t i = 0; i < count; ++i)
        sum += filter[i] * column[i];
      sums[f][p] += sum;
    }
}

/// sums[f] += the dot product of filter f and the input over `count` elements.
template <int filters>
void multiply_bytes(const std::int8_t* const (&weights)[filters], const std::int8_t* input, std::uint32_t count,
                    std::int32_t (&sums)[filters]) {
  for (int f = 0; f < filters; ++f) {
    const std::int8_t* const filter = weights[f];
    std::int32_t sum = 0;
    for (std::uint32_t i = 0; i < count; ++i)
      sum += filter[i] * input[i];
    sums[f] += sum;
  }
}

/// Weights of one element of the window in four channels.
struct FourWeights {
  std::int16_t of[4];
};

inline FourWeights four_weights(std::int8_t a, std::int8_t b, std::int8_t c, std::int8_t d) {
  return {{a, b, c, d}};
}

/// sums[i] += weights[i] * inputs[i] for the four channels of each element of a window's row: its elements are `step`
/// apart, each four bytes.
inline void multiply_four(const FourWeights* weights, const std::int8_t* inputs, std::uint32_t elements,
                          std::uint32_t step, std::int32_t (&sums)[4]) {
  for (std::uint32_t element = 0; element < elements; ++element, inputs += 4 * step)
    for (int i = 0; i < 4; ++i)
      sums[i] += weights[element].of[i] * inputs[i];
}

inline std::int8_t requantize(std::int32_t sum, Rescale by, Clamp to) {
  return requantized(sum, by, to);
}

}  // namespace spillway::int8
