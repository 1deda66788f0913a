#pragma once

#ifdef __ARM_FEATURE_DSP  // elsewhere this header is empty
#include <cstdint>

#include <arm_acle.h>

#include "hw/kernels/int8/four_outputs.hpp"
#include "hw/kernels/int8/requantize.hpp"
#include "hw/kernels/int8/whole_filters.hpp"

/// The kernels' inner loops for a Cortex-M7 (and M4): two products of 16 bits in one instruction (SMLAD).
///
/// SXTB16 widens bytes 0 and 2, or 1 and 3, of a word. So a column keeps each four elements as pairs (0, 2) and (1, 3):
/// in the order of the weights as they come, and nothing is packed in the loops. The pairs of two columns alternate, so
/// that one LDRD reads both.
///
/// The loops are functions of their own with plain variables: a store of int8 may alias anything, and only what has no
/// address stays in registers.
namespace spillway::int8 {

inline constexpr std::uint32_t column_group = 4;

/// Two numbers of 16 bits of each column.
struct Pairs {
  std::int32_t first, second;
};

/// Four bytes, from any address.
inline std::uint32_t four_bytes(const std::int8_t* from) {
  std::uint32_t word;
  __builtin_memcpy(&word, from, sizeof(word));
  return word;
}

/// The last one to three bytes as a word; nothing behind them is read.
inline std::uint32_t last_bytes(const std::int8_t* from, std::uint32_t count) {
  std::uint32_t word = 0;
  for (std::uint32_t i = 0; i < count; ++i)
    word |= std::uint32_t{static_cast<std::uint8_t>(from[i])} << (8 * i);
  return word;
}

/// Bytes 0 and 2 as two numbers of 16 bits.
inline std::int32_t even(std::uint32_t word) {
  return __sxtb16(static_cast<std::int32_t>(word));
}

/// Bytes 1 and 3.
inline std::int32_t odd(std::uint32_t word) {
  std::int32_t result;
  asm("sxtb16 %0, %1, ror #8" : "=r"(result) : "r"(word));
  return result;
}

/// LDRD and on to the next two words; the compiler would load them one by one.
inline Pairs next_pairs(const std::int16_t*& from) {
  Pairs pairs;
  asm volatile("ldrd %0, %1, [%2], #8" : "=&r"(pairs.first), "=&r"(pairs.second), "+r"(from) : : "memory");
  return pairs;
}

/// Loads that stay where they stand: the compiler would begin with all of them and run out of registers.
inline std::uint32_t next_four_bytes(const std::int8_t*& from) {
  std::uint32_t word;
  asm volatile("ldr %0, [%1], #4" : "=r"(word), "+r"(from) : : "memory");
  return word;
}
inline std::uint32_t four_bytes_at(const std::int8_t* from, std::uint32_t offset) {
  std::uint32_t word;
  asm volatile("ldr %0, [%1, %2]" : "=r"(word) : "r"(from), "r"(offset) : "memory");
  return word;
}

class ColumnWriter {
 public:
  ColumnWriter(std::int16_t* pair, std::uint32_t /*room*/, std::uint32_t column) : column_(pair + 2 * column) {}

  void append(const std::int8_t* from, std::uint32_t count) {
    std::uint32_t at = at_;
    for (; count != 0 && at % column_group != 0; --count)
      column_[place(at++)] = *from++;
    std::int16_t* to = column_ + 2 * at;
    const std::uint32_t whole = count / column_group * column_group;
    for (const std::int8_t* const end = from + whole; from != end; from += column_group, to += 2 * column_group) {
      const std::uint32_t word = four_bytes(from);
      put(to, even(word));
      put(to + 4, odd(word));
    }
    at += whole;
    for (count -= whole; count != 0; --count)
      column_[place(at++)] = *from++;
    at_ = at;
  }

  void append_zeros(std::uint32_t count) {
    for (; count != 0; --count)
      column_[place(at_++)] = 0;
  }

  void finish() {
    while (at_ % column_group != 0)
      column_[place(at_++)] = 0;
  }

 private:
  /// Element 0 to 3 of a group: first or second pair, first or second half.
  static constexpr std::uint32_t place(std::uint32_t at) { return (at & ~3U) * 2 + (at & 1) * 4 + (at >> 1 & 1); }

  static void put(std::int16_t* to, std::int32_t pair) {
    __builtin_memcpy(__builtin_assume_aligned(to, 4), &pair, sizeof(pair));
  }

  std::int16_t* column_;
  std::uint32_t at_ = 0;
};

/// The general form, for factors of 1/2 and more.
[[gnu::noinline]] inline std::int32_t rescale_large(std::int32_t sum, Rescale by) {
  return clamped(rescaled(sum, by), {-128, 127});
}

/// rescaled() in 8 bits, on the upper half of the product where it can: for a shift above 32, half a step is a multiple
/// of 2^32, and the lower half matters only where taking 1 away borrows from the upper one.
[[gnu::always_inline]] inline std::int32_t rescale(std::int32_t sum, Rescale by) {
  if (by.shift <= 32) [[unlikely]]
    return rescale_large(sum, by);
  const std::int64_t product = std::int64_t{sum} * by.multiplier;
  auto upper = static_cast<std::int32_t>(product >> 32);
  if (static_cast<std::uint32_t>(product) == 0) [[unlikely]]
    upper += upper >> 31;
  return __ssat(((upper >> (by.shift - 33)) + 1) >> 1, 8);
}

class Requantizer {
 public:
  Requantizer() = default;
  Requantizer(Rescale by, Clamp to) : by_(by), to_(to) {}

  std::int8_t operator()(std::int32_t sum) const { return clamped(rescale(sum, by_), to_); }

 private:
  Rescale by_;
  Clamp to_;
};

/// A clamp for two numbers of 16 bits.
struct TwoClamps {
  std::uint32_t low, high;

  explicit TwoClamps(Clamp to) : low(both(to.low)), high(both(to.high)) {}

  static std::uint32_t both(std::int8_t number) {
    const auto bits = static_cast<std::uint16_t>(number);
    return std::uint32_t{bits} << 16 | bits;
  }

  std::uint32_t operator()(std::int32_t first, std::int32_t second) const {
    std::uint32_t pair;
    asm("pkhbt %0, %1, %2, lsl #16" : "=r"(pair) : "r"(first), "r"(second));
    // SSUB16 tells SEL which halves are not below.
    asm("ssub16 r12, %0, %1\n\tsel %0, %0, %1\n\tssub16 r12, %2, %0\n\tsel %0, %0, %2"
        : "+&r"(pair)
        : "r"(low), "r"(high)
        : "r12", "cc");
    return pair;
  }
};

[[gnu::noinline]] inline void multiply_columns(const std::int8_t* filter, const std::int16_t* pair,
                                               std::uint32_t /*room*/, std::uint32_t count, std::int32_t (&sums)[2]) {
  std::int32_t first = sums[0], second = sums[1];
  const auto multiply = [&](std::uint32_t word) {
    Pairs columns = next_pairs(pair);
    first = __smlad(even(word), columns.first, first);
    second = __smlad(even(word), columns.second, second);
    columns = next_pairs(pair);
    first = __smlad(odd(word), columns.first, first);
    second = __smlad(odd(word), columns.second, second);
  };
  const std::int8_t* const end = filter + count / column_group * column_group;
  for (; filter != end; filter += column_group)
    multiply(four_bytes(filter));
  if (const std::uint32_t rest = count % column_group; rest != 0) multiply(last_bytes(filter, rest));
  sums[0] = first;
  sums[1] = second;
}

/// The sums of two filters with both columns.
struct FourSums {
  std::int32_t a_first, a_second, b_first, b_second;
};

/// Begins with the filters' biases.
[[gnu::always_inline]] inline FourSums multiply_two(const std::int8_t* a, const std::int8_t* b,
                                                    const std::int16_t* pair, std::uint32_t count, std::int32_t bias_a,
                                                    std::int32_t bias_b) {
  std::int32_t a_first = bias_a, a_second = bias_a, b_first = bias_b, b_second = bias_b;
  const auto multiply = [&](std::uint32_t word_a, std::uint32_t word_b) {
    Pairs columns = next_pairs(pair);
    std::int32_t weights = even(word_a);
    a_first = __smlad(weights, columns.first, a_first);
    a_second = __smlad(weights, columns.second, a_second);
    weights = even(word_b);
    b_first = __smlad(weights, columns.first, b_first);
    b_second = __smlad(weights, columns.second, b_second);
    columns = next_pairs(pair);
    weights = odd(word_a);
    a_first = __smlad(weights, columns.first, a_first);
    a_second = __smlad(weights, columns.second, a_second);
    weights = odd(word_b);
    b_first = __smlad(weights, columns.first, b_first);
    b_second = __smlad(weights, columns.second, b_second);
  };
  const std::int8_t* const end = a + count / column_group * column_group;
  while (a != end) {
    const std::uint32_t word_a = four_bytes(a), word_b = four_bytes(b);
    a += column_group;
    b += column_group;
    multiply(word_a, word_b);
  }
  if (const std::uint32_t rest = count % column_group; rest != 0) multiply(last_bytes(a, rest), last_bytes(b, rest));
  return {a_first, a_second, b_first, b_second};
}

/// The outputs of one filter. Where there is one output, the second goes to its place and the first over it.
[[gnu::always_inline]] inline void write_two(std::int32_t first, std::int32_t second, Rescale by, TwoClamps clamp,
                                             std::int8_t* to, std::uint32_t to_second) {
  const std::uint32_t outputs = clamp(rescale(first, by), rescale(second, by));
  to[to_second] = static_cast<std::int8_t>(outputs >> 16);
  to[0] = static_cast<std::int8_t>(outputs);
}

[[gnu::noinline]] inline void compute_outputs(const WholeFilters& filters, const std::int16_t* pair, std::uint32_t room,
                                              std::int8_t* to, std::uint32_t depth, bool both) {
  const std::int8_t* weights = filters.weights;
  const OutputChannel* channel = filters.channels;
  const std::uint32_t elements = filters.elements;
  const TwoClamps clamp(filters.clamp);
  const std::uint32_t to_second = both ? depth : 0;
  const std::int8_t* const end = to + filters.count / 2 * 2;
  for (; to != end; to += 2, channel += 2, weights += 2 * elements) {
    const FourSums sums = multiply_two(weights, weights + elements, pair, elements, channel[0].bias, channel[1].bias);
    write_two(sums.a_first, sums.a_second, channel[0].rescale, clamp, to, to_second);
    write_two(sums.b_first, sums.b_second, channel[1].rescale, clamp, to + 1, to_second);
  }
  if (filters.count % 2 == 0) return;
  std::int32_t sums[2] = {channel->bias, channel->bias};
  multiply_columns(weights, pair, room, elements, sums);
  write_two(sums[0], sums[1], channel->rescale, clamp, to, to_second);
}

[[gnu::noinline]] inline void multiply_bytes(const std::int8_t* filters, std::uint32_t filter_bytes,
                                             const std::int8_t* input, std::uint32_t count, std::int32_t (&sums)[4]) {
  const std::int8_t *a = filters, *c = a + 2 * filter_bytes;
  std::int32_t sum_a = sums[0], sum_b = sums[1], sum_c = sums[2], sum_d = sums[3];
  const std::int8_t* const end = input + count / column_group * column_group;
  const auto multiply = [](std::int32_t first, std::int32_t second, std::uint32_t word, std::int32_t sum) {
    return __smlad(odd(word), second, __smlad(even(word), first, sum));
  };
  while (input != end) {
    const std::uint32_t word = four_bytes(input);
    const std::int32_t first = even(word), second = odd(word);
    input += column_group;
    sum_b = multiply(first, second, four_bytes_at(a, filter_bytes), sum_b);
    sum_a = multiply(first, second, next_four_bytes(a), sum_a);
    sum_d = multiply(first, second, four_bytes_at(c, filter_bytes), sum_d);
    sum_c = multiply(first, second, next_four_bytes(c), sum_c);
  }
  if (const std::uint32_t rest = count % column_group; rest != 0) {
    const std::uint32_t word = last_bytes(input, rest);
    const std::int32_t first = even(word), second = odd(word);
    sum_a = multiply(first, second, last_bytes(a, rest), sum_a);
    sum_b = multiply(first, second, last_bytes(a + filter_bytes, rest), sum_b);
    sum_c = multiply(first, second, last_bytes(c, rest), sum_c);
    sum_d = multiply(first, second, last_bytes(c + filter_bytes, rest), sum_d);
  }
  sums[0] = sum_a;
  sums[1] = sum_b;
  sums[2] = sum_c;
  sums[3] = sum_d;
}

[[gnu::noinline]] inline std::int32_t multiply_bytes(const std::int8_t* filter, const std::int8_t* input,
                                                     std::uint32_t count, std::int32_t sum) {
  const auto multiply = [&](std::uint32_t x, std::uint32_t word) {
    sum = __smlad(odd(word), odd(x), __smlad(even(word), even(x), sum));
  };
  const std::int8_t* const end = input + count / column_group * column_group;
  for (; input != end; input += column_group, filter += column_group)
    multiply(four_bytes(input), four_bytes(filter));
  if (const std::uint32_t rest = count % column_group; rest != 0)
    multiply(last_bytes(input, rest), last_bytes(filter, rest));
  return sum;
}

struct FourChannels {
  std::int32_t even, odd;
};

inline FourChannels four_channels(const std::int8_t* from) {
  const std::uint32_t word = four_bytes(from);
  return {even(word), odd(word)};
}

/// Four outputs of 8 bits of two pairs of 16.
inline std::uint32_t four_outputs(std::uint32_t even_pair, std::uint32_t odd_pair) {
  return __uxtb16(even_pair) | __uxtb16(odd_pair) << 8;
}

[[gnu::noinline]] inline void compute_windows(const FourWindow& window, const FourChannels* weights,
                                              const FourChannels* input, const FourOutputs& of, std::int8_t* to,
                                              std::uint32_t depth) {
  const TwoClamps clamp(of.clamp);
  const bool usual = window.columns == 3 && window.column_stride == 1;
  for (std::uint32_t left = of.count; left != 0; --left, input += of.stride, to += depth) {
    std::int32_t a = of.channels[0].bias, b = of.channels[1].bias, c = of.channels[2].bias, d = of.channels[3].bias;
    const auto multiply = [&](FourChannels by, FourChannels x) {
      a = __smlabb(by.even, x.even, a);
      b = __smlabb(by.odd, x.odd, b);
      c = __smlatt(by.even, x.even, c);
      d = __smlatt(by.odd, x.odd, d);
    };
    const FourChannels *weight = weights, *row = input;
    for (std::uint32_t rows = window.rows; rows != 0; --rows, row += window.row_stride) {
      if (usual) {
        multiply(weight[0], row[0]);
        multiply(weight[1], row[1]);
        multiply(weight[2], row[2]);
        weight += 3;
        continue;
      }
      const FourChannels* at = row;
      for (std::uint32_t column = window.columns; column != 0; --column, at += window.column_stride)
        multiply(*weight++, *at);
    }
    const std::uint32_t even_pair = clamp(rescale(a, of.channels[0].rescale), rescale(c, of.channels[2].rescale));
    const std::uint32_t odd_pair = clamp(rescale(b, of.channels[1].rescale), rescale(d, of.channels[3].rescale));
    const std::uint32_t outputs = four_outputs(even_pair, odd_pair);
    if (of.depth == 4)
      __builtin_memcpy(to, &outputs, 4);
    else
      for (std::uint32_t i = 0; i < of.depth; ++i)
        to[i] = static_cast<std::int8_t>(outputs >> 8 * i);
  }
}

}  // namespace spillway::int8
#endif
