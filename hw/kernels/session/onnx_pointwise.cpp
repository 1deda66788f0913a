// Functions of each number, and arrays combined element by element.
#include <limits>
#include <map>

#include <fmt/format.h>

#include "hw/kernels/session/onnx_node.hpp"

namespace spillway::kernels::onnx_nodes {
namespace {

using models::onnx_file::text_of;

/// A function, and the attributes that are its parameters.
struct Form {
  Function function = Function::none;
  std::string_view a, b;
  float default_a = 0, default_b = 0;
};

const std::map<std::string, Form>& forms() {
  static const std::map<std::string, Form> all = {
      {"Abs", {Function::absolute, {}, {}, 0, 0}},
      {"Acos", {Function::arc_cosine, {}, {}, 0, 0}},
      {"Acosh", {Function::inverse_hyperbolic_cosine, {}, {}, 0, 0}},
      {"Asin", {Function::arc_sine, {}, {}, 0, 0}},
      {"Asinh", {Function::inverse_hyperbolic_sine, {}, {}, 0, 0}},
      {"Atan", {Function::arc_tangent, {}, {}, 0, 0}},
      {"Atanh", {Function::inverse_hyperbolic_tangent, {}, {}, 0, 0}},
      {"Ceil", {Function::ceiling, {}, {}, 0, 0}},
      {"Celu", {Function::celu, "alpha", {}, 1, 0}},
      {"Cos", {Function::cosine, {}, {}, 0, 0}},
      {"Cosh", {Function::hyperbolic_cosine, {}, {}, 0, 0}},
      {"Elu", {Function::elu, "alpha", {}, 1, 0}},
      {"Erf", {Function::error_function, {}, {}, 0, 0}},
      {"Exp", {Function::exponential, {}, {}, 0, 0}},
      {"Floor", {Function::floor, {}, {}, 0, 0}},
      {"HardSigmoid", {Function::hard_sigmoid, "alpha", "beta", 0.2F, 0.5F}},
      {"HardSwish", {Function::hard_swish, {}, {}, 0, 0}},
      {"LeakyRelu", {Function::leaky_relu, "alpha", {}, 0.01F, 0}},
      {"Log", {Function::logarithm, {}, {}, 0, 0}},
      {"Neg", {Function::negative, {}, {}, 0, 0}},
      {"Reciprocal", {Function::reciprocal, {}, {}, 0, 0}},
      {"Relu", {Function::relu, {}, {}, 0, 0}},
      {"Round", {Function::round, {}, {}, 0, 0}},
      {"Selu", {Function::selu, "alpha", "gamma", 1.67326319F, 1.05070102F}},
      {"Shrink", {Function::shrink, "lambd", "bias", 0.5F, 0}},
      {"Sigmoid", {Function::sigmoid, {}, {}, 0, 0}},
      {"Sign", {Function::sign, {}, {}, 0, 0}},
      {"Sin", {Function::sine, {}, {}, 0, 0}},
      {"Sinh", {Function::hyperbolic_sine, {}, {}, 0, 0}},
      {"Softplus", {Function::softplus, {}, {}, 0, 0}},
      {"Softsign", {Function::softsign, {}, {}, 0, 0}},
      {"Sqrt", {Function::square_root, {}, {}, 0, 0}},
      {"Tan", {Function::tangent, {}, {}, 0, 0}},
      {"Tanh", {Function::tanh, {}, {}, 0, 0}},
      {"ThresholdedRelu", {Function::thresholded, "alpha", {}, 1, 0}},
  };
  return all;
}

void apply(Node& node, const Activation& activation) {
  const Extents& extents = node.extents(0);
  node.step(Pointwise{node.layer(), elements_of(extents), activation}, {node.value(0)}, extents);
}

/// Extents of the second operand as operator sets below 7 place them, by the attributes `axis` and `broadcast`.
Extents placed_extents(Node& node, const Extents& left, Extents right) {
  if (node.opset() >= 7) return right;
  node.attributes.without_effect("consumed_inputs");
  const bool broadcasts = node.attributes.integer("broadcast").value_or(0) != 0;
  const std::optional<std::int64_t> axis = node.attributes.integer("axis");
  if (!broadcasts || !axis || right.size() > left.size()) return right;
  const std::size_t front = axis_of(*axis, left.size());
  if (front + right.size() > left.size())
    throw Refusal(fmt::format("an operand of {} from axis {} of {}", text_of(right), *axis, text_of(left)));
  right.resize(left.size() - front, 1);
  return right;
}

}  // namespace

void read_activation(Node& node) {
  const Form& form = forms().at(node.type());
  node.attributes.without_effect("consumed_inputs");
  const auto parameter = [&](std::string_view name, float otherwise) {
    return name.empty() ? 0.0F : node.attributes.number(name).value_or(otherwise);
  };
  apply(node, {form.function, parameter(form.a, form.default_a), parameter(form.b, form.default_b)});
}

void read_clip(Node& node) {
  float minimum = -std::numeric_limits<float>::infinity(), maximum = std::numeric_limits<float>::infinity();
  node.attributes.without_effect("consumed_inputs");
  if (node.opset() < 11) {
    minimum = node.attributes.number("min").value_or(minimum);
    maximum = node.attributes.number("max").value_or(maximum);
  } else {
    if (node.has(1)) minimum = node.number(1);
    if (node.has(2)) maximum = node.number(2);
  }
  apply(node, {Function::clip, minimum, maximum});
}

void read_combination(Node& node) {
  static const std::map<std::string, Operation> operations = {
      {"Add", Operation::add},   {"Sub", Operation::subtract}, {"Mul", Operation::multiply}, {"Div", Operation::divide},
      {"Pow", Operation::power}, {"Min", Operation::minimum},  {"Max", Operation::maximum},  {"Sum", Operation::add},
      {"Mean", Operation::mean}, {"Mod", Operation::remainder}};
  if (node.type() == "Mod" && node.attributes.integer("fmod").value_or(0) == 0)
    throw Refusal("fmod 0, of integers; expected 1");
  if (node.inputs() == 0) throw Refusal("no inputs; expected one or more");
  const bool binary = node.type() != "Sum" && node.type() != "Mean" && node.type() != "Min" && node.type() != "Max";
  Elementwise layer{node.layer(), operations.at(node.type()), node.extents(0), {}, {}};
  std::vector<ValueId> inputs;
  std::vector<Extents> extents;
  for (int input = 0; input < node.inputs(); ++input) {
    inputs.push_back(node.value(input));
    extents.push_back(binary && input == 1 ? placed_extents(node, extents.front(), node.extents(1))
                                           : node.extents(input));
    layer.extents = broadcast(layer.extents, extents.back());
  }
  for (const Extents& operand : extents)
    layer.strides.push_back(broadcast_strides(operand, layer.extents));
  const Extents output = layer.extents;
  node.step(std::move(layer), std::move(inputs), output);
}

void read_slope(Node& node) {
  const Extents& extents = node.extents(0);
  Extents slope = node.extents(1);
  node.attributes.without_effect("consumed_inputs");
  if (node.opset() < 7 && slope.size() == 1 && extents.size() > 1) slope.resize(extents.size() - 1, 1);
  if (broadcast(slope, extents) != extents)
    throw Refusal(fmt::format("a slope of {} for {}", text_of(slope), text_of(extents)));
  node.step(
      Elementwise{node.layer(), Operation::slope_below_zero, extents, {{}, broadcast_strides(slope, extents)}, {}},
      {node.value(0), node.value(1)}, extents);
}

}  // namespace spillway::kernels::onnx_nodes
