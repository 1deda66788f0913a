#pragma once

#include <cstdint>
#include <span>

#include "models/network.hpp"

/// Shape inference and the counts that follow from shapes alone.
namespace spillway::models {

/// No feature map and no count of a node may exceed this, so that sums over a network stay exact in 64 bits.
inline constexpr std::int64_t maximum_count = std::int64_t{1} << 48;

/// Positions of a sliding window along one axis: `extent` elements with padding before and behind; `span` is the
/// window's length, dilation included. Needs span <= before + extent + behind, unless `round_up`.
std::int64_t window_positions(std::int64_t extent, std::int64_t span, std::int64_t stride, std::int64_t before,
                              std::int64_t behind, bool round_up);

/// Output shape of `node` over operands of these shapes, in the order of its inputs.
/// Throws NetworkError that names the node, what did not fit and what was expected.
Shape infer_shape(const Node& node, std::span<const Shape> operands);

/// Multiply-accumulates of one frame of a node with inferred output. Throws NetworkError beyond maximum_count.
std::int64_t count_macs(const Node& node, const Shape& operand);

/// Weights of a node with inferred output, without bias. Throws NetworkError beyond maximum_count.
std::int64_t count_weights(const Node& node, const Shape& operand);

}  // namespace spillway::models
