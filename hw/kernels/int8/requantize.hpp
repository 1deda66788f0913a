#pragma once

#include <cstdint>

/// From int32 sums to int8: the one formula that the host and the microcontroller share.
namespace spillway::int8 {

/// Multiplication by multiplier / 2^shift, the fixed-point form of a quotient of scales.
/// multiplier: 2^30 to 2^31 - 1; shift: 1 to 62. So the factor is 2^-32 to just below 2^30.
struct Rescale {
  std::int32_t multiplier = 1 << 30;
  std::uint8_t shift = 30;

  friend constexpr bool operator==(const Rescale&, const Rescale&) = default;
};

/// What an output may be. A fused ReLU has low 0; ReLU6 and clip have a high below 127, too. Weights and feature maps
/// are symmetric, so -128 does not occur.
struct Clamp {
  std::int8_t low = -127, high = 127;

  friend constexpr bool operator==(const Clamp&, const Clamp&) = default;
};

/// What becomes of the sum of one output channel of a layer with weights: clamp(rescale(sum + bias)).
struct OutputChannel {
  std::int32_t bias = 0;  ///< in the scale of the products: input's scale times weights' scale
  Rescale rescale;

  friend constexpr bool operator==(const OutputChannel&, const OutputChannel&) = default;
};

/// value * multiplier / 2^shift on 64 bits, rounded to nearest, halves away from zero. The result has 63 bits.
constexpr std::int64_t rescaled(std::int32_t value, Rescale by) {
  const std::int64_t product = std::int64_t{value} * by.multiplier;
  const std::int64_t half = std::int64_t{1} << (by.shift - 1);
  // The shift rounds down: one less makes a negative half round away from zero, and nothing else change.
  return (product + half - (product < 0 ? 1 : 0)) >> by.shift;
}

constexpr std::int8_t clamped(std::int64_t value, Clamp to) {
  return static_cast<std::int8_t>(value < to.low ? to.low : value > to.high ? to.high : value);
}

/// clamp(rescale(sum)).
constexpr std::int8_t requantized(std::int32_t sum, Rescale by, Clamp to) {
  return clamped(rescaled(sum, by), to);
}

/// Operands of an addition are taken to 2^addition_shift times their common scale, so that their sum is rounded once:
/// 127 * 2^20 leaves room for 16 of them in 32 bits.
inline constexpr int addition_shift = 20;
inline constexpr int most_operands = 16;

}  // namespace spillway::int8
