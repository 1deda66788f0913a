// Operators that change how data is seen or where it lies, and constants.
#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_file.hpp"
#include "models/onnx_translation.hpp"

namespace spillway::models::onnx_file {
namespace {

using onnx::TensorProto;

/// Adds a node that sees its input's data with other extents.
void add_view(NodeReader& node, Operator op, const Map& map, std::vector<std::int64_t> extents) {
  Node view;
  view.op = op;
  view.inputs = {map.node};
  const Shape shape = shape_of(extents);
  if (op == Operator::reshape) view.output = shape;
  node.define(Map{node.add(std::move(view)), std::move(extents), std::nullopt});
}

/// Sees a constant's or a map's data with other extents.
void change_view(NodeReader& node, const std::vector<std::int64_t>& extents) {
  if (!node.is_constant(0)) return add_view(node, Operator::reshape, node.map(0), extents);
  Constant changed = node.constant(0);
  changed.extents = extents;
  node.define(std::move(changed));
}

std::vector<std::int64_t> extents_of_input(NodeReader& node) {
  return node.is_constant(0) ? node.constant(0).extents : node.map(0).extents;
}

/// Axes of Squeeze and Unsqueeze: an attribute below operator set 13, an input later.
std::optional<std::vector<std::int64_t>> axes_of(NodeReader& node) {
  if (node.opset() < 13) return node.attributes.integers("axes");
  if (!node.has(1)) return std::nullopt;
  return node.numbers().integers(node.constant(1));
}

/// Axes that move together count as one; axes of one element do not count.
struct Moved {
  std::vector<std::int64_t> extents;
  std::vector<std::size_t> order;  ///< the axis of `extents` that becomes axis i
};

Moved essence(const std::vector<std::int64_t>& extents, const std::vector<std::int64_t>& permutation) {
  std::vector<std::size_t> sources;  // axes of more than one element, in the order of the output
  for (const std::int64_t axis : permutation)
    if (extents[static_cast<std::size_t>(axis)] != 1) sources.push_back(static_cast<std::size_t>(axis));
  const auto next = [&extents](std::size_t axis) {
    do
      ++axis;
    while (axis < extents.size() && extents[axis] == 1);
    return axis;
  };
  std::vector<std::pair<std::size_t, std::int64_t>> groups;  // first axis and elements, in the order of the output
  std::size_t expected = extents.size();
  for (const std::size_t axis : sources) {
    if (!groups.empty() && axis == expected)
      groups.back().second *= extents[axis];
    else
      groups.emplace_back(axis, extents[axis]);
    expected = next(axis);
  }
  std::vector<std::pair<std::size_t, std::int64_t>> sorted = groups;
  std::ranges::sort(sorted);
  Moved moved;
  for (const auto& group : sorted)
    moved.extents.push_back(group.second);
  for (const auto& group : groups)
    moved.order.push_back(static_cast<std::size_t>(std::ranges::find(sorted, group) - sorted.begin()));
  return moved;
}

/// The permutation of a shape's three axes that moves data in the same way; empty when there is none.
std::optional<std::array<std::uint8_t, 3>> permutation_of(const Shape& in, const Shape& out, const Moved& wanted) {
  std::array<std::uint8_t, 3> axes = {0, 1, 2};
  const std::vector<std::int64_t> extents = {in.channels, in.height, in.width};
  do {
    const Shape result = {extents[axes[0]], extents[axes[1]], extents[axes[2]]};
    const Moved moved = essence(extents, {axes.begin(), axes.end()});
    if (result == out && moved.extents == wanted.extents && moved.order == wanted.order) return axes;
  } while (std::ranges::next_permutation(axes).found);
  return std::nullopt;
}

}  // namespace

void read_identity(NodeReader& node) {
  if (!node.is_constant(0)) {
    const Map& map = node.map(0);
    return add_view(node, Operator::identity, map, map.extents);
  }
  node.define(node.constant(0));
}

void read_flatten(NodeReader& node) {
  const Map& map = node.map(0);
  const auto rank = static_cast<std::int64_t>(map.extents.size());
  std::int64_t axis = node.attributes.integer("axis").value_or(1);
  if (axis != rank) axis = front_axis(axis, map.extents.size());
  const std::int64_t rows = elements_of({map.extents.begin(), map.extents.begin() + axis});
  if (rows != 1)
    throw Refusal(fmt::format("axis {} makes {} rows of {}; expected a single row", axis, rows, text_of(map.extents)));
  add_view(node, Operator::flatten, map, {1, elements_of(map.extents)});
}

void read_reshape(NodeReader& node) {
  node.attributes.without_effect("consumed_inputs");
  const std::vector<std::int64_t> from = extents_of_input(node);
  std::vector<std::int64_t> to;
  if (node.opset() < 5)
    to = node.attributes.integers("shape").value_or(std::vector<std::int64_t>());
  else
    to = node.numbers().integers(node.constant(1));
  const bool zero_is_zero = node.attributes.integer("allowzero").value_or(0) != 0;
  std::size_t open = to.size();
  std::int64_t known = 1;
  for (std::size_t axis = 0; axis < to.size(); ++axis) {
    if (to[axis] == 0 && !zero_is_zero) {
      if (axis >= from.size())
        throw Refusal(
            fmt::format("shape {} copies axis {} of {}; expected one that exists", text_of(to), axis, text_of(from)));
      to[axis] = from[axis];
    }
    if (to[axis] == -1 && open == to.size())
      open = axis;
    else if (__builtin_mul_overflow(known, to[axis], &known) || to[axis] < 1)
      throw Refusal(fmt::format("shape {}; expected positive extents and at most one -1", text_of(to)));
  }
  const std::int64_t elements = elements_of(from);
  if (open < to.size() && elements % known == 0) to[open] = elements / known;
  if (elements_of(to) != elements || elements == 0)
    throw Refusal(fmt::format("shape {} for {}; expected as many elements, {}", text_of(to), text_of(from), elements));
  change_view(node, to);
}

void read_squeeze(NodeReader& node) {
  const std::vector<std::int64_t> from = extents_of_input(node);
  std::optional<std::vector<std::int64_t>> axes = axes_of(node);
  if (axes)
    for (std::int64_t& axis : *axes)
      axis = front_axis(axis, from.size());
  std::vector<std::int64_t> to;
  for (std::size_t axis = 0; axis < from.size(); ++axis) {
    const bool named = axes && std::ranges::find(*axes, static_cast<std::int64_t>(axis)) != axes->end();
    if (named && from[axis] != 1)
      throw Refusal(fmt::format("axis {} of {}; expected an axis of 1", axis, text_of(from)));
    if (!(named || (!axes && from[axis] == 1))) to.push_back(from[axis]);
  }
  change_view(node, to);
}

void read_unsqueeze(NodeReader& node) {
  std::vector<std::int64_t> to = extents_of_input(node);
  std::vector<std::int64_t> axes = axes_of(node).value_or(std::vector<std::int64_t>());
  const std::size_t rank = to.size() + axes.size();
  for (std::int64_t& axis : axes)
    axis = front_axis(axis, rank);
  std::ranges::sort(axes);
  if (axes.empty() || std::ranges::adjacent_find(axes) != axes.end())
    throw Refusal(fmt::format("axes {}; expected one or more different axes", fmt::join(axes, ", ")));
  for (const std::int64_t axis : axes)
    to.insert(to.begin() + axis, 1);
  change_view(node, to);
}

void read_transpose(NodeReader& node) {
  const Map& map = node.map(0);
  const std::size_t rank = map.extents.size();
  std::optional<std::vector<std::int64_t>> order = node.attributes.integers("perm");
  if (!order) {
    order.emplace();
    for (std::size_t axis = rank; axis > 0; --axis)
      order->push_back(static_cast<std::int64_t>(axis - 1));
  }
  std::vector<std::int64_t> sorted = *order, to;
  std::ranges::sort(sorted);
  bool each_once = sorted.size() == rank;
  for (std::size_t axis = 0; each_once && axis < rank; ++axis)
    each_once = sorted[axis] == static_cast<std::int64_t>(axis);
  if (!each_once)
    throw Refusal(
        fmt::format("perm {} for {}; expected each axis once", fmt::join(*order, ", "), text_of(map.extents)));
  for (const std::int64_t axis : *order)
    to.push_back(map.extents[static_cast<std::size_t>(axis)]);
  const Moved moved = essence(map.extents, *order);
  if (moved.order.size() <= 1) return add_view(node, Operator::reshape, map, to);
  const auto permutation = permutation_of(node.shape(map), shape_of(to), moved);
  if (!permutation)
    throw Refusal(fmt::format("perm {} for {}; expected a permutation of three axes at most", fmt::join(*order, ", "),
                              text_of(map.extents)));
  Node made;
  made.op = Operator::transpose;
  made.inputs = {map.node};
  made.permutation = *permutation;
  node.define(Map{node.add(std::move(made)), to, std::nullopt});
}

void read_constant(NodeReader& node) {
  Constant constant;
  Attributes& attributes = node.attributes;
  if (const TensorProto* const tensor = attributes.tensor("value")) {
    constant = {{tensor->dims().begin(), tensor->dims().end()}, tensor->data_type(), tensor, {}, {}};
  } else if (const auto integer = attributes.integer("value_int")) {
    constant = {{}, TensorProto::INT64, nullptr, std::vector{*integer}, {}};
  } else if (const auto integers = attributes.integers("value_ints")) {
    constant = {{static_cast<std::int64_t>(integers->size())}, TensorProto::INT64, nullptr, *integers, {}};
  } else if (const auto number = attributes.number("value_float")) {
    constant = {{}, TensorProto::FLOAT, nullptr, {}, *number};
  } else {
    throw Refusal("a constant without value, value_int, value_ints or value_float; expected one of them");
  }
  node.define(std::move(constant));
}

void read_constant_of_shape(NodeReader& node) {
  Constant constant;
  constant.extents = node.numbers().integers(node.constant(0));
  const std::int64_t elements = constant.elements();
  if (elements > most_tensor_bytes / static_cast<std::int64_t>(sizeof(float)))
    throw Refusal(
        fmt::format("a tensor of {} claims more than {} bytes", text_of(constant.extents), most_tensor_bytes));
  const TensorProto* const value = node.attributes.tensor("value");
  constant.type = value == nullptr ? TensorProto::FLOAT : value->data_type();
  if (constant.type == TensorProto::FLOAT) {
    constant.fill = value == nullptr ? 0 : node.numbers().number(Constant{{1}, TensorProto::FLOAT, value, {}, {}});
  } else {
    const std::vector<std::int64_t> number = node.numbers().integers(Constant{{1}, constant.type, value, {}, {}});
    constexpr std::int64_t most = 4096;
    if (number.size() != 1 || elements > most)
      throw Refusal(fmt::format("{} integers; expected at most {} of one value", elements, most));
    constant.integers.emplace(static_cast<std::size_t>(elements), number.front());
  }
  node.define(std::move(constant));
}

void read_shape(NodeReader& node) {
  const std::vector<std::int64_t> extents = extents_of_input(node);
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto bound = [rank](std::int64_t axis) {
    return std::clamp<std::int64_t>(axis < 0 ? axis + rank : axis, 0, rank);
  };
  const std::int64_t start = bound(node.attributes.integer("start").value_or(0));
  const std::int64_t end = std::max(start, bound(node.attributes.integer("end").value_or(rank)));
  std::vector<std::int64_t> part(extents.begin() + start, extents.begin() + end);
  node.define(Constant{{end - start}, TensorProto::INT64, nullptr, std::move(part), {}});
}

void read_gather(NodeReader& node) {
  const Constant& list = node.constant(0);
  const Constant& wanted = node.constant(1);
  if (list.extents.size() != 1 || node.attributes.integer("axis").value_or(0) != 0)
    throw Refusal(fmt::format("from a constant of {}; expected from a list of integers", text_of(list.extents)));
  const std::vector<std::int64_t> integers = node.numbers().integers(list);
  std::vector<std::int64_t> found;
  for (const std::int64_t position : node.numbers().integers(wanted))
    found.push_back(integers[static_cast<std::size_t>(front_axis(position, integers.size()))]);
  node.define(Constant{wanted.extents, list.type, nullptr, std::move(found), {}});
}

void read_cast(NodeReader& node) {
  const std::int64_t to = node.attributes.integer("to").value_or(TensorProto::UNDEFINED);
  if (!node.is_constant(0)) {
    if (to != TensorProto::FLOAT)
      throw Refusal(fmt::format("to {}; expected float32", type_name(static_cast<int>(to))));
    const Map& map = node.map(0);
    return add_view(node, Operator::identity, map, map.extents);
  }
  Constant constant = node.constant(0);
  if (constant.type != to) {
    if (to != TensorProto::INT64 && to != TensorProto::INT32)
      throw Refusal(fmt::format("a constant of {} to {}; expected between int64 and int32", type_name(constant.type),
                                type_name(static_cast<int>(to))));
    constant.integers = node.numbers().integers(constant);
    constant.type = static_cast<int>(to);
  }
  node.define(std::move(constant));
}

}  // namespace spillway::models::onnx_file
