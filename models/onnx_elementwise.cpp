// Operators that work element by element, across channels, or join maps.
#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "models/onnx_translation.hpp"

namespace spillway::models::onnx_file {
namespace {

Node node_of(Operator op, const Map& map) {
  Node node;
  node.op = op;
  node.inputs = {map.node};
  return node;
}

/// Adds a node that keeps its input's extents.
void add_alike(NodeReader& node, Node made, const Map& map) {
  node.define(Map{node.add(std::move(made)), map.extents, std::nullopt});
}

/// y = scale x + shift with one of both given; operands of another operator are turned into it by `number_of`.
template <typename NumberOf>
void add_scale_or_shift(NodeReader& node, const Map& map, const Constant& constant, bool is_scale, NumberOf number_of) {
  const ChannelConstant given = node.per_channel(constant, map.extents, node.operand_axis(constant, map.extents));
  const std::int64_t channels = map.extents[1];
  add_alike(node, node_of(Operator::batch_normalization, map), map);
  if (!node.want_weights()) return;
  std::vector<float> numbers = node.expand(given, channels);
  std::ranges::transform(numbers, numbers.begin(), number_of);
  node.numbers().charge(channels);
  Tensor own({channels}, std::move(numbers));
  Tensor neutral({channels}, std::vector<float>(static_cast<std::size_t>(channels), is_scale ? 0.0F : 1.0F));
  node.keep(is_scale ? LayerWeights{own, neutral} : LayerWeights{neutral, own});
}

/// Maps that are combined element by element; one with a value per channel may stand anywhere, but last in the network.
void add_combination(NodeReader& node, Operator op) {
  std::vector<const Map*> maps;
  for (int input = 0; input < node.inputs(); ++input)
    maps.push_back(&node.map(input));
  const auto largest = std::ranges::max_element(maps, {}, [](const Map* map) { return elements_of(map->extents); });
  const std::vector<std::int64_t> extents = (*largest)->extents;
  for (const Map* map : maps)
    if (map->extents.size() != extents.size())
      throw Refusal(
          fmt::format("maps of {} and {}; expected as many extents", text_of(extents), text_of(map->extents)));
  std::stable_partition(maps.begin(), maps.end(), [&extents](const Map* map) { return map->extents == extents; });
  if (maps.size() == 1) {
    add_alike(node, node_of(Operator::identity, *maps.front()), *maps.front());
    return;
  }
  if (node.opset() < 7 && std::ranges::any_of(maps, [&](const Map* map) { return map->extents != extents; }))
    throw Refusal("maps of different extents in an operator set below 7; expected equal ones");
  node.attributes.without_effect("axis");
  node.attributes.without_effect("broadcast");
  node.attributes.without_effect("consumed_inputs");
  Node made;
  made.op = op;
  for (const Map* map : maps)
    made.inputs.push_back(map->node);
  node.define(Map{node.add(std::move(made)), extents, std::nullopt});
}

}  // namespace

void read_sum_or_product(NodeReader& node) {
  const bool is_product = node.proto().op_type() == "Mul";
  int constants = 0, position = 0;
  for (int input = 0; input < node.inputs(); ++input)
    if (node.is_constant(input)) {
      ++constants;
      position = input;
    }
  if (constants == 0) return add_combination(node, is_product ? Operator::multiply : Operator::add);
  if (constants > 1 || node.inputs() != 2)
    throw Refusal(fmt::format("{} constants among {} inputs; expected maps, or a map and one constant", constants,
                              node.inputs()));
  if (node.opset() < 7 && position == 0) throw Refusal("a constant first; expected the map first below operator set 7");
  add_scale_or_shift(node, node.map(1 - position), node.constant(position), is_product,
                     [](float number) { return number; });
}

void read_difference_or_quotient(NodeReader& node) {
  const bool is_quotient = node.proto().op_type() == "Div";
  add_scale_or_shift(node, node.map(0), node.constant(1), is_quotient,
                     [is_quotient](float number) { return is_quotient ? 1 / number : -number; });
}

void read_activation(NodeReader& node) {
  const std::string& type = node.proto().op_type();
  const Map& map = node.map(0);
  node.attributes.without_effect("consumed_inputs");
  Node made = node_of(Operator::relu, map);
  if (type == "Sigmoid") made.op = Operator::sigmoid;
  if (type == "Tanh") made.op = Operator::tanh;
  if (type == "HardSwish") made.op = Operator::hard_swish;
  if (type == "LeakyRelu") {
    made.op = Operator::leaky_relu;
    made.slope = node.attributes.number("alpha").value_or(0.01F);
  }
  if (type == "HardSigmoid") {
    made.op = Operator::hard_sigmoid;
    made.slope = node.attributes.number("alpha").value_or(0.2F);
    made.offset = node.attributes.number("beta").value_or(0.5F);
  }
  add_alike(node, std::move(made), map);
}

void read_clip(NodeReader& node) {
  const Map& map = node.map(0);
  node.attributes.without_effect("consumed_inputs");
  float minimum = -std::numeric_limits<float>::infinity();
  float maximum = std::numeric_limits<float>::infinity();
  if (node.opset() < 11) {
    minimum = node.attributes.number("min").value_or(minimum);
    maximum = node.attributes.number("max").value_or(maximum);
  } else {
    if (node.has(1)) minimum = node.numbers().number(node.constant(1));
    if (node.has(2)) maximum = node.numbers().number(node.constant(2));
  }
  Node made = node_of(Operator::clip, map);
  if (minimum == 0 && maximum == 6) {
    made.op = Operator::relu6;
  } else {
    made.minimum = minimum;
    made.maximum = maximum;
  }
  add_alike(node, std::move(made), map);
}

void read_softmax(NodeReader& node) {
  const Map& map = node.map(0);
  const bool flattens = node.opset() < 13;
  const std::int64_t axis = front_axis(node.attributes.integer("axis").value_or(flattens ? 1 : -1), map.extents.size());
  const std::vector<std::int64_t> behind(map.extents.begin() + axis + 1, map.extents.end());
  if (axis != 1 || (flattens && elements_of(behind) != 1))
    throw Refusal(fmt::format("over axis {}{} of {}; expected over the channels of each position, axis 1", axis,
                              flattens ? " and those behind it" : "", text_of(map.extents)));
  add_alike(node, node_of(Operator::softmax, map), map);
}

void read_dropout(NodeReader& node) {
  const Map& map = node.map(0);
  for (const char* name : {"ratio", "seed", "consumed_inputs"})
    node.attributes.without_effect(name);
  bool training = false;
  if (node.opset() < 7) training = node.attributes.integer("is_test").value_or(0) == 0;
  if (node.has(1)) static_cast<void>(node.constant(1));  // a ratio that is computed is not read
  if (node.has(2)) {
    const std::vector<std::int64_t> mode = node.numbers().integers(node.constant(2));
    training = mode.size() != 1 || mode.front() != 0;
  }
  if (training) throw Refusal("in training mode (is_test 0 or training_mode 1); expected inference");
  node.only_first_output();
  add_alike(node, node_of(Operator::dropout, map), map);
}

void read_local_response_normalization(NodeReader& node) {
  const Map& map = node.map(0);
  Node made = node_of(Operator::local_response_normalization, map);
  made.normalization_size = node.attributes.integer("size").value_or(0);
  made.normalization_alpha = node.attributes.number("alpha").value_or(1e-4F);
  made.normalization_beta = node.attributes.number("beta").value_or(0.75F);
  made.normalization_bias = node.attributes.number("bias").value_or(1);
  add_alike(node, std::move(made), map);
}

void read_concat(NodeReader& node) {
  const std::optional<std::int64_t> axis = node.attributes.integer("axis");
  bool of_constants = true;
  for (int input = 0; input < node.inputs(); ++input)
    of_constants = of_constants && node.is_constant(input);
  if (of_constants) {
    std::vector<std::int64_t> all;
    int type = onnx::TensorProto::INT64;
    for (int input = 0; input < node.inputs(); ++input) {
      const Constant& constant = node.constant(input);
      if (constant.extents.size() != 1)
        throw Refusal(fmt::format("a constant of {}; expected maps or lists", text_of(constant.extents)));
      const std::vector<std::int64_t> part = node.numbers().integers(constant);
      all.insert(all.end(), part.begin(), part.end());
      type = constant.type;
    }
    const std::vector<std::int64_t> extents = {static_cast<std::int64_t>(all.size())};
    node.define(Constant{extents, type, nullptr, std::move(all), std::nullopt});
    return;
  }
  Node made;
  made.op = Operator::concat;
  std::vector<std::int64_t> extents = node.map(0).extents;
  if (front_axis(axis.value_or(1), extents.size()) != 1)
    throw Refusal(fmt::format("along axis {} of {}; expected the channels, axis 1", *axis, text_of(extents)));
  extents[1] = 0;
  for (int input = 0; input < node.inputs(); ++input) {
    const Map& map = node.map(input);
    if (map.extents.size() != extents.size())
      throw Refusal(fmt::format("input {} is {}; expected {} extents as input 0 has", input, text_of(map.extents),
                                extents.size()));
    extents[1] += map.extents[1];
    made.inputs.push_back(map.node);
  }
  node.define(Map{node.add(std::move(made)), extents, std::nullopt});
}

}  // namespace spillway::models::onnx_file
