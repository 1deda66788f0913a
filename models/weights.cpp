#include "models/weights.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::models {
namespace {

void check(const std::vector<std::int64_t>& extents, std::size_t values) {
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents)
    if (extent < 0 || __builtin_mul_overflow(elements, extent, &elements))
      throw std::invalid_argument(
          fmt::format("a tensor of extents {}; expected extents of 0 or more that can be "
                      "multiplied",
                      fmt::join(extents, "x")));
  if (static_cast<std::size_t>(elements) != values)
    throw std::invalid_argument(
        fmt::format("a tensor of {} with {} numbers; expected {}", fmt::join(extents, "x"), values, elements));
}

}  // namespace

Tensor::Tensor(std::vector<std::int64_t> extents, std::vector<float> values) : extents_(std::move(extents)) {
  check(extents_, values.size());
  const auto owned = std::make_shared<const std::vector<float>>(std::move(values));
  values_ = *owned;
  owner_ = owned;
}

Tensor::Tensor(std::vector<std::int64_t> extents, std::span<const float> values, std::shared_ptr<const void> owner)
    : extents_(std::move(extents)), values_(values), owner_(std::move(owner)) {
  check(extents_, values_.size());
}

bool operator==(const Tensor& a, const Tensor& b) {
  return a.extents_ == b.extents_ && std::ranges::equal(a.values_, b.values_);
}

bool has_weights(Operator op) {
  return op == Operator::convolution || op == Operator::dense || op == Operator::batch_normalization;
}

std::vector<std::int64_t> weight_extents(const Network& network, NodeId id) {
  const Node& node = network.node(id);
  const Shape in = network.input_shape(id);
  switch (node.op) {
    case Operator::convolution:
      return {node.output.channels, in.channels / node.groups, node.window.kernel_height, node.window.kernel_width};
    case Operator::dense:
      return {node.output.channels, in.elements()};
    case Operator::batch_normalization:
      return {node.output.channels};
    default:
      return {};
  }
}

}  // namespace spillway::models
