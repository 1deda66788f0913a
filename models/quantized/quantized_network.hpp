#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/quantized/fold.hpp"

/// A network in int8: zero points are 0 everywhere, a value is its int8 number times a scale.
namespace spillway::quantized {

/// The numbers of a convolution or dense layer. A weight of filter k is its int8 number times scales[k]; a bias is its
/// int32 number times scales[k] times the scale of the layer's input.
struct QuantizedWeights {
  std::vector<std::int8_t> weights;  ///< in the order of models::LayerWeights: [filter][channel][row][column]
  std::vector<float> scales;         ///< by filter
  std::vector<std::int32_t> bias;    ///< by filter

  friend bool operator==(const QuantizedWeights&, const QuantizedWeights&) = default;
};

struct QuantizedNetwork {
  models::Network network;                          ///< folded: rows_of() is defined
  std::vector<float> scales;                        ///< by node: of its result; of a row's node, that of Row::value
  std::map<std::string, QuantizedWeights> weights;  ///< by name, of each convolution and dense layer
};

/// A clamp in the numbers of the row's output: what the activations let through, at most -127 to 127.
struct Limits {
  std::int8_t low = -127, high = 127;
};
Limits limits_of(const Row& row, float scale);

/// The number nearest to value / scale, halves away from zero, at most 127 from 0.
std::int8_t quantize(float value, float scale);

/// For each node the node whose scale it has: maps that are read or made without arithmetic (concatenation, flatten,
/// reshape, max pooling) share one, and so do a row and its activations.
std::vector<models::NodeId> scale_owners(const models::Network& folded);

/// Quotients of scales that a row multiplies by to come from its sums to its output. Each is from smallest_factor to
/// below largest_factor, or check() refuses it.
struct RowFactors {
  std::vector<double> sums;      ///< convolution and dense: by filter; average pooling: one, of a sum of one element
  std::vector<double> operands;  ///< add: from an operand to the largest scale among them, at most 1
  double result = 1;             ///< add: from that scale to the output's
};
inline constexpr double smallest_factor = 1.0 / (std::uint64_t{1} << 32), largest_factor = 1 << 30;
RowFactors factors_of(const QuantizedNetwork& network, const Row& row);

/// Throws QuantizationError with everything in which the parts do not fit together or a kernel's numbers would not fit
/// their bits: numbers of another count, scales that are not positive, shared scales that differ, factors and sums out
/// of range.
void check(const QuantizedNetwork& network);

}  // namespace spillway::quantized
