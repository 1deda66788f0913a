#include "hw/kernels/session/onnx_node.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spillway::kernels::onnx_nodes {

using models::onnx_file::text_of;

Known known_constant(Graph& graph, const std::string& name, const models::onnx_file::Constant& constant) {
  if (constant.type != onnx::TensorProto::FLOAT) return {no_value, constant.extents, graph.numbers->integers(constant)};
  const ValueId value =
      graph.program.add_value({name, constant.extents, true, graph.numbers->floats(constant), no_value});
  return {value, constant.extents, std::nullopt};
}

float Node::stored_number(const onnx::TensorProto& tensor) {
  models::onnx_file::check_tensor(tensor, {});
  return graph_.numbers->number(
      {{tensor.dims().begin(), tensor.dims().end()}, tensor.data_type(), &tensor, std::nullopt, std::nullopt});
}

void Node::define_stored(const models::onnx_file::Constant& constant) {
  define(known_constant(graph_, proto_.output(0), constant));
}

const Known& Node::known(int input) const {
  if (!has(input)) throw Refusal(fmt::format("input {} is missing", input));
  return graph_.values.at(proto_.input(input));
}

ValueId Node::value(int input) const {
  if (is_integer(input)) throw Refusal(fmt::format("input {} holds integers; expected float32", input));
  return known(input).value;
}

const std::vector<std::int64_t>& Node::integers(int input) const {
  if (!is_integer(input))
    throw Refusal(fmt::format("input {} ('{}') is computed or float32; expected integers that are known before a frame",
                              input, proto_.input(input)));
  return *known(input).integers;
}

std::optional<std::span<const float>> Node::numbers(int input) const {
  const Value& stored = graph_.program.values[graph_.program.storage_of(value(input))];
  if (!stored.is_constant) return std::nullopt;
  return stored.numbers.values();
}

float Node::number(int input) const {
  const std::optional<std::span<const float>> known_numbers = numbers(input);
  if (!known_numbers || known_numbers->size() != 1)
    throw Refusal(fmt::format("input {} is computed or of {}; expected one number that is known before a frame", input,
                              text_of(extents(input))));
  return known_numbers->front();
}

ValueId Node::constant(Extents extents, std::vector<float> numbers) {
  models::Tensor tensor(extents, std::move(numbers));
  return graph_.program.add_value({"", std::move(extents), true, std::move(tensor), no_value});
}

ValueId Node::intermediate(Layer layer, std::vector<ValueId> inputs, Extents extents) {
  const ValueId made = graph_.program.add_value({"", std::move(extents), false, {}, no_value});
  graph_.program.steps.push_back({proto_.name(), {}, std::move(layer), std::move(inputs), made});
  return made;
}

void Node::step(Layer layer, std::vector<ValueId> inputs, Extents extents, int output) {
  const ValueId made = intermediate(std::move(layer), std::move(inputs), extents);
  graph_.program.values[made].name = proto_.output(output);
  define({made, std::move(extents), std::nullopt}, output);
}

void Node::view(int input, Extents extents) {
  if (is_integer(input)) return define({no_value, std::move(extents), integers(input)});
  const ValueId made = graph_.program.add_value({proto_.output(0), extents, false, {}, value(input)});
  define({made, std::move(extents), std::nullopt});
}

void Node::define(Known known, int output) {
  graph_.values[proto_.output(output)] = std::move(known);
}

void Node::only_first_output() const {
  for (int output = 1; output < outputs(); ++output)
    if (!proto_.output(output).empty())
      throw Refusal(fmt::format("output {} ('{}'); expected the first one alone", output, proto_.output(output)));
}

std::int64_t elements_of(std::span<const std::int64_t> extents) {
  return models::onnx_file::elements_of({extents.begin(), extents.end()});
}

Extents strides_of(const Extents& extents) {
  Extents strides(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;)
    strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

std::size_t axis_of(std::int64_t axis, std::size_t rank) {
  const auto signed_rank = static_cast<std::int64_t>(rank);
  if (axis < -signed_rank || axis >= signed_rank)
    throw Refusal(fmt::format("axis {} of {} axes; expected {} to {}", axis, rank, -signed_rank, signed_rank - 1));
  return static_cast<std::size_t>(axis < 0 ? axis + signed_rank : axis);
}

Extents broadcast(const Extents& a, const Extents& b) {
  Extents result(std::max(a.size(), b.size()), 1);
  for (std::size_t behind = 1; behind <= result.size(); ++behind) {
    const std::int64_t left = behind <= a.size() ? a[a.size() - behind] : 1;
    const std::int64_t right = behind <= b.size() ? b[b.size() - behind] : 1;
    if (left != right && left != 1 && right != 1)
      throw Refusal(fmt::format("arrays of {} and {}; expected equal extents, or 1", text_of(a), text_of(b)));
    result[result.size() - behind] = left == 1 ? right : left;
  }
  return result;
}

Extents broadcast_strides(const Extents& from, const Extents& to) {
  if (from == to) return {};
  const Extents own = strides_of(from);
  Extents strides(to.size(), 0);
  for (std::size_t behind = 1; behind <= from.size(); ++behind)
    if (from[from.size() - behind] != 1) strides[to.size() - behind] = own[from.size() - behind];
  return strides;
}

}  // namespace spillway::kernels::onnx_nodes
