#pragma once

#include <cstdint>

#include "hw/kernels/int8/four_outputs.hpp"
#include "hw/kernels/int8/requantize.hpp"
#include "hw/kernels/int8/whole_filters.hpp"

/// The kernels' inner loops in plain C++ (arithmetic_dsp.hpp has them for a Cortex-M7).
///
/// A column is the input of one output, widened to 16 bits. Columns come in pairs, each in memory of 2 * room elements,
/// in an order that only this file knows; a room is a whole number of groups.
namespace spillway::int8 {

/// Elements of a column that are handled together; a column may be cut between two groups only.
inline constexpr std::uint32_t column_group = 4;

/// Writes one column of a pair from runs of int8.
class ColumnWriter {
 public:
  ColumnWriter(std::int16_t* pair, std::uint32_t room, std::uint32_t column) : at_(pair + column * room) {}

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
  void finish() {}

 private:
  std::int16_t* at_;
};

/// Sums of products of a filter with both columns, added to `sums`. What the second is where nobody wrote one has no
/// meaning.
inline void multiply_columns(const std::int8_t* filter, const std::int16_t* pair, std::uint32_t room,
                             std::uint32_t count, std::int32_t (&sums)[2]) {
  std::int32_t first = sums[0];
  std::uint32_t second = static_cast<std::uint32_t>(sums[1]);
  for (std::uint32_t i = 0; i < count; ++i)
    first += filter[i] * pair[i];
  for (std::uint32_t i = 0; i < count; ++i)
    second += static_cast<std::uint32_t>(filter[i] * pair[room + i]);
  sums[0] = first;
  sums[1] = static_cast<std::int32_t>(second);
}

/// requantized() for many sums.
class Requantizer {
 public:
  Requantizer() = default;
  Requantizer(Rescale by, Clamp to) : by_(by), to_(to) {}

  std::int8_t operator()(std::int32_t sum) const { return requantized(sum, by_, to_); }

 private:
  Rescale by_;
  Clamp to_;
};

/// Writes the outputs of whole filters for the first column to `to`, and for the second, if `both`, `depth` bytes
/// behind.
inline void compute_outputs(const WholeFilters& filters, const std::int16_t* pair, std::uint32_t room, std::int8_t* to,
                            std::uint32_t depth, bool both) {
  for (std::uint32_t k = 0; k < filters.count; ++k) {
    const OutputChannel& channel = filters.channels[k];
    std::int32_t sums[2] = {channel.bias, channel.bias};
    multiply_columns(filters.weights + k * filters.elements, pair, room, filters.elements, sums);
    const Requantizer requantize(channel.rescale, filters.clamp);
    to[k] = requantize(sums[0]);
    if (both) to[depth + k] = requantize(sums[1]);
  }
}

/// The sum of products of a filter and a run of the input, added to `sum`.
inline std::int32_t multiply_bytes(const std::int8_t* filter, const std::int8_t* input, std::uint32_t count,
                                   std::int32_t sum) {
  for (std::uint32_t i = 0; i < count; ++i)
    sum += filter[i] * input[i];
  return sum;
}

/// The same for four filters, `filter_bytes` apart.
inline void multiply_bytes(const std::int8_t* filters, std::uint32_t filter_bytes, const std::int8_t* input,
                           std::uint32_t count, std::int32_t (&sums)[4]) {
  for (std::uint32_t f = 0; f < 4; ++f)
    sums[f] = multiply_bytes(filters + f * filter_bytes, input, count, sums[f]);
}

/// Numbers of four channels, widened.
struct FourChannels {
  std::int16_t of[4];
};

inline FourChannels four_channels(const std::int8_t* from) {
  return {{from[0], from[1], from[2], from[3]}};
}

/// Writes outputs of a row to `to`, `depth` bytes apart. `input` has the first one's window; the weights stand one
/// after the other.
inline void compute_windows(const FourWindow& window, const FourChannels* weights, const FourChannels* input,
                            const FourOutputs& of, std::int8_t* to, std::uint32_t depth) {
  for (std::uint32_t output = 0; output < of.count; ++output, input += of.stride, to += depth)
    for (std::uint32_t i = 0; i < of.depth; ++i) {
      const FourChannels* weight = weights;
      std::int32_t sum = of.channels[i].bias;
      for (std::uint32_t row = 0; row < window.rows; ++row)
        for (std::uint32_t column = 0; column < window.columns; ++column, ++weight)
          sum += weight->of[i] * input[row * window.row_stride + column * window.column_stride].of[i];
      to[i] = requantized(sum, of.channels[i].rescale, of.clamp);
    }
}

}  // namespace spillway::int8
