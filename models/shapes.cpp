#include "models/shapes.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <utility>

#include <fmt/format.h>

namespace spillway::models {
namespace {

/// Extents and window attributes beyond this are refused; it keeps every sum and product of two of them exact.
constexpr std::int64_t maximum_extent = std::int64_t{1} << 30;

template <typename... Arguments>
[[noreturn]] void fail(const Node& node, fmt::format_string<Arguments...> text, Arguments&&... arguments) {
  throw NetworkError(fmt::format("node '{}' ({}): {}", node.name, to_string(node.op),
                                 fmt::format(text, std::forward<Arguments>(arguments)...)));
}

std::int64_t product(const Node& node, std::string_view what, std::initializer_list<std::int64_t> factors) {
  std::int64_t result = 1;
  for (const std::int64_t factor : factors)
    if (__builtin_mul_overflow(result, factor, &result) || result > maximum_count)
      fail(node, "more than 2^48 {}; expected a layer that can be counted exactly", what);
  return result;
}

bool has_window(Operator op) {
  return op == Operator::convolution || op == Operator::max_pool || op == Operator::average_pool;
}

void check_range(const Node& node, std::string_view attribute, std::int64_t value, std::int64_t least) {
  if (value < least || value > maximum_extent)
    fail(node, "{} is {}; expected {} to {}", attribute, value, least, maximum_extent);
}

void check_shape(const Node& node, const Shape& shape) {
  check_range(node, "output channels", shape.channels, 1);
  check_range(node, "output height", shape.height, 1);
  check_range(node, "output width", shape.width, 1);
  product(node, "output elements", {shape.channels, shape.height, shape.width});
}

void check_arity(const Node& node, std::size_t given) {
  switch (node.op) {
    case Operator::input:
      if (given != 0) fail(node, "has {} inputs; expected none", given);
      return;
    case Operator::add:
    case Operator::multiply:
      if (given < 2) fail(node, "has {} input(s); expected two or more", given);
      return;
    case Operator::concat:
      if (given < 1) fail(node, "has no inputs; expected one or more");
      return;
    default:
      if (given != 1) fail(node, "has {} inputs; expected exactly one", given);
  }
}

/// An attribute on an operator that does not have it is a mistake of the caller, not something to ignore.
void check_foreign_attributes(const Node& node) {
  const Node plain;
  const auto refuse = [&node](std::string_view attribute, std::string_view owners) {
    fail(node, "has no {}; expected it only on {}", attribute, owners);
  };
  if (!has_window(node.op) && node.window != plain.window) refuse("window", "convolution, max_pool and average_pool");
  if (node.op == Operator::convolution && node.window.ceil_mode) refuse("ceil_mode", "max_pool and average_pool");
  if (node.op != Operator::convolution && node.groups != plain.groups) refuse("groups", "convolution");
  if (node.op != Operator::convolution && node.dense_weight_bytes) refuse("dense_weight_bytes", "convolution");
  if (node.op != Operator::convolution && node.op != Operator::dense && node.bias)
    refuse("bias", "convolution and dense");
  if (node.op != Operator::local_response_normalization && node.normalization_size != plain.normalization_size)
    refuse("normalization_size", "local_response_normalization");
  if (node.op != Operator::local_response_normalization &&
      (node.normalization_alpha != plain.normalization_alpha || node.normalization_beta != plain.normalization_beta ||
       node.normalization_bias != plain.normalization_bias))
    refuse("normalization constants", "local_response_normalization");
  if (node.op != Operator::average_pool && node.count_include_pad) refuse("count_include_pad", "average_pool");
  if (node.op != Operator::leaky_relu && node.op != Operator::hard_sigmoid && node.slope != plain.slope)
    refuse("slope", "leaky_relu and hard_sigmoid");
  if (node.op != Operator::hard_sigmoid && node.offset != plain.offset) refuse("offset", "hard_sigmoid");
  if (node.op != Operator::clip && (node.minimum != plain.minimum || node.maximum != plain.maximum))
    refuse("minimum and maximum", "clip");
  if (node.op != Operator::transpose && node.permutation != plain.permutation) refuse("permutation", "transpose");
}

void check_window(const Node& node) {
  const Window& window = node.window;
  check_range(node, "kernel height", window.kernel_height, 1);
  check_range(node, "kernel width", window.kernel_width, 1);
  check_range(node, "stride height", window.stride_height, 1);
  check_range(node, "stride width", window.stride_width, 1);
  check_range(node, "dilation height", window.dilation_height, 1);
  check_range(node, "dilation width", window.dilation_width, 1);
  check_range(node, "padding at the top", window.pad_top, 0);
  check_range(node, "padding at the left", window.pad_left, 0);
  check_range(node, "padding at the bottom", window.pad_bottom, 0);
  check_range(node, "padding at the right", window.pad_right, 0);
}

Shape slide(const Node& node, const Shape& operand, std::int64_t channels) {
  check_window(node);
  const Window& window = node.window;
  const std::int64_t padded_height = window.pad_top + operand.height + window.pad_bottom;
  const std::int64_t padded_width = window.pad_left + operand.width + window.pad_right;
  if (window.span_height() > padded_height || window.span_width() > padded_width)
    fail(node, "the kernel spans {}x{} (dilation included) over a padded input of {}x{}; expected one that fits",
         window.span_height(), window.span_width(), padded_height, padded_width);
  return {channels,
          window_positions(operand.height, window.span_height(), window.stride_height, window.pad_top,
                           window.pad_bottom, window.ceil_mode),
          window_positions(operand.width, window.span_width(), window.stride_width, window.pad_left, window.pad_right,
                           window.ceil_mode)};
}

Shape infer_convolution(const Node& node, const Shape& operand) {
  const std::int64_t filters = node.output.channels;
  check_range(node, "number of filters", filters, 1);
  check_range(node, "groups", node.groups, 1);
  if (operand.channels % node.groups != 0)
    fail(node, "{} groups do not divide the {} input channels; expected a divisor", node.groups, operand.channels);
  if (filters % node.groups != 0)
    fail(node, "{} groups do not divide the {} filters; expected a divisor", node.groups, filters);
  if (node.dense_weight_bytes && (node.groups == 1 || node.groups != operand.channels))
    fail(node, "dense_weight_bytes with {} groups over {} input channels; expected a depthwise convolution",
         node.groups, operand.channels);
  return slide(node, operand, filters);
}

Shape infer_pool(const Node& node, const Shape& operand) {
  const Window& window = node.window;
  check_window(node);
  // The result of a pooling window over nothing but padding is undefined.
  if (std::max(window.pad_top, window.pad_bottom) >= window.span_height() ||
      std::max(window.pad_left, window.pad_right) >= window.span_width())
    fail(node, "padding top {}, left {}, bottom {}, right {} for a window of {}x{}; expected less than the window",
         window.pad_top, window.pad_left, window.pad_bottom, window.pad_right, window.span_height(),
         window.span_width());
  return slide(node, operand, operand.channels);
}

Shape infer_elementwise(const Node& node, std::span<const Shape> operands) {
  const Shape one_per_channel = {operands.front().channels, 1, 1};
  for (std::size_t position = 1; position < operands.size(); ++position)
    if (operands[position] != operands.front() && operands[position] != one_per_channel)
      fail(node, "input {} is {} but input 0 is {}; expected all of one shape, or one value per channel", position,
           to_string(operands[position]), to_string(operands.front()));
  return operands.front();
}

Shape infer_transpose(const Node& node, const Shape& operand) {
  std::array<std::uint8_t, 3> axes = node.permutation;
  std::ranges::sort(axes);
  if (axes != std::array<std::uint8_t, 3>{0, 1, 2})
    fail(node, "permutation {}, {}, {}; expected each of the axes 0, 1 and 2 once", node.permutation[0],
         node.permutation[1], node.permutation[2]);
  const std::array<std::int64_t, 3> extents = {operand.channels, operand.height, operand.width};
  return {extents[node.permutation[0]], extents[node.permutation[1]], extents[node.permutation[2]]};
}

void check_clip(const Node& node) {
  // Also false for a bound that is no number.
  if (!(node.minimum <= node.maximum))
    fail(node, "minimum {} and maximum {}; expected a minimum that is not above the maximum", node.minimum,
         node.maximum);
}

Shape infer_concat(const Node& node, std::span<const Shape> operands) {
  Shape result = operands.front();
  for (std::size_t position = 1; position < operands.size(); ++position) {
    const Shape& operand = operands[position];
    if (operand.height != result.height || operand.width != result.width)
      fail(node, "input {} is {} but input 0 is {}; expected all of one height and width", position, to_string(operand),
           to_string(operands.front()));
    result.channels += operand.channels;
  }
  return result;
}

Shape infer_reshape(const Node& node, const Shape& operand) {
  check_shape(node, node.output);
  if (node.output.elements() != operand.elements())
    fail(node, "{} has {} elements but its input {} has {}; expected the same number", to_string(node.output),
         node.output.elements(), to_string(operand), operand.elements());
  return node.output;
}

Shape infer_valid_arity(const Node& node, std::span<const Shape> operands) {
  switch (node.op) {
    case Operator::input:
      return node.output;
    case Operator::convolution:
      return infer_convolution(node, operands.front());
    case Operator::dense:
      return {node.output.channels, 1, 1};
    case Operator::max_pool:
    case Operator::average_pool:
      return infer_pool(node, operands.front());
    case Operator::add:
    case Operator::multiply:
      return infer_elementwise(node, operands);
    case Operator::concat:
      return infer_concat(node, operands);
    case Operator::flatten:
      return {operands.front().elements(), 1, 1};
    case Operator::reshape:
      return infer_reshape(node, operands.front());
    case Operator::local_response_normalization:
      check_range(node, "normalization_size", node.normalization_size, 1);
      return operands.front();
    case Operator::transpose:
      return infer_transpose(node, operands.front());
    case Operator::clip:
      check_clip(node);
      return operands.front();
    case Operator::batch_normalization:
    case Operator::relu:
    case Operator::relu6:
    case Operator::leaky_relu:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::hard_swish:
    case Operator::tanh:
    case Operator::softmax:
    case Operator::dropout:
    case Operator::identity:
      return operands.front();
  }
  fail(node, "operator {} is unknown; expected one of the operators of models/network.hpp",
       static_cast<unsigned>(node.op));
}

}  // namespace

std::int64_t window_positions(std::int64_t extent, std::int64_t span, std::int64_t stride, std::int64_t before,
                              std::int64_t behind, bool round_up) {
  const std::int64_t travel = before + extent + behind - span;
  const std::int64_t floor_positions = travel / stride + 1;
  if (!round_up || travel % stride == 0) return floor_positions;
  const bool starts_on_map = floor_positions * stride < before + extent;
  return starts_on_map ? floor_positions + 1 : floor_positions;
}

Shape infer_shape(const Node& node, std::span<const Shape> operands) {
  check_arity(node, operands.size());
  check_foreign_attributes(node);
  const Shape result = infer_valid_arity(node, operands);
  check_shape(node, result);
  return result;
}

std::int64_t count_macs(const Node& node, const Shape& operand) {
  switch (node.op) {
    case Operator::convolution:
      return product(node, "MACs",
                     {node.output.elements(), operand.channels / node.groups, node.window.kernel_height,
                      node.window.kernel_width});
    case Operator::dense:
      return product(node, "MACs", {operand.elements(), node.output.channels});
    default:
      return 0;
  }
}

std::int64_t count_weights(const Node& node, const Shape& operand) {
  switch (node.op) {
    case Operator::convolution: {
      const std::int64_t groups = node.dense_weight_bytes ? 1 : node.groups;
      return product(
          node, "weights",
          {node.output.channels, operand.channels / groups, node.window.kernel_height, node.window.kernel_width});
    }
    case Operator::dense:
      return product(node, "weights", {operand.elements(), node.output.channels});
    default:
      return 0;
  }
}

}  // namespace spillway::models
