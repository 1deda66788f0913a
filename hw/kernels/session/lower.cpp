#include <algorithm>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hw/kernels/session/program.hpp"

namespace spillway::kernels {
namespace {

using models::Node;
using models::NodeId;
using models::Operator;

Map map_of(const models::Shape& shape) {
  return {shape.channels, shape.height, shape.width};
}

std::vector<std::int64_t> extents_of(const models::Shape& shape) {
  return {1, shape.channels, shape.height, shape.width};
}

Window window_of(const models::Window& window) {
  return {window.kernel_height,   window.kernel_width,   window.stride_height, window.stride_width,
          window.dilation_height, window.dilation_width, window.pad_top,       window.pad_left};
}

Activation activation_of(const Node& node) {
  switch (node.op) {
    case Operator::relu:
      return {Function::relu, 0, 0};
    case Operator::relu6:
      return {Function::clip, 0, 6};
    case Operator::clip:
      return {Function::clip, node.minimum, node.maximum};
    case Operator::leaky_relu:
      return {Function::leaky_relu, node.slope, 0};
    case Operator::sigmoid:
      return {Function::sigmoid, 0, 0};
    case Operator::hard_sigmoid:
      return {Function::hard_sigmoid, node.slope, node.offset};
    case Operator::hard_swish:
      return {Function::hard_swish, 0, 0};
    case Operator::tanh:
      return {Function::tanh, 0, 0};
    default:
      throw std::logic_error("no activation");
  }
}

class Lowering {
 public:
  Lowering(const models::Network& network, const models::Weights& weights) : network_(network), weights_(weights) {
    program_.name = network.name();
  }

  Program run(const std::vector<std::string>& outputs) {
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      add(id);
    for (const std::string& name : outputs) {
      const std::optional<NodeId> id = network_.find(name);
      if (!id) throw std::invalid_argument(fmt::format("no node \"{}\" whose output could be wanted", name));
      program_.outputs.push_back(values_[*id]);
    }
    if (outputs.empty())
      for (NodeId id = 0; id < network_.nodes().size(); ++id)
        if (network_.consumers(id).empty()) program_.outputs.push_back(values_[id]);
    return std::move(program_);
  }

 private:
  void add(NodeId id) {
    const Node& node = network_.node(id);
    Value value{node.name, extents_of(node.output), false, {}, no_value};
    const bool shape_only = node.op == Operator::flatten || node.op == Operator::reshape ||
                            node.op == Operator::dropout || node.op == Operator::identity;
    if (shape_only) value.same_as = values_[node.inputs.front()];
    values_.push_back(program_.add_value(std::move(value)));
    if (node.op == Operator::input)
      program_.inputs.push_back(values_[id]);
    else if (!shape_only)
      program_.steps.push_back(step_of(id));
  }

  Step step_of(NodeId id) {
    const Node& node = network_.node(id);
    const models::Shape input = network_.input_shape(id);
    const LayerId layer = static_cast<LayerId>(id);
    Step step{node.name, {}, Copy{}, {}, values_[id]};
    for (const NodeId producer : node.inputs)
      step.inputs.push_back(values_[producer]);
    switch (node.op) {
      case Operator::convolution:
        step.layer = Convolution{layer, 1, node.groups, map_of(input), map_of(node.output), window_of(node.window), {}};
        add_weights(step, id);
        step.inputs.resize(6, no_value);
        break;
      case Operator::dense:
        step.layer = Dense{layer, 1, input.elements(), node.output.channels, {}};
        add_weights(step, id);
        break;
      case Operator::max_pool:
        step.layer = pool(PoolKind::max, id);
        break;
      case Operator::average_pool:
        step.layer = pool(node.count_include_pad ? PoolKind::average_padded : PoolKind::average, id);
        break;
      case Operator::add:
      case Operator::multiply:
        step.layer = combination(id);
        break;
      case Operator::concat: {
        Concat concat{layer, 1, {}};
        for (const NodeId producer : node.inputs)
          concat.parts.push_back(network_.node(producer).output.elements());
        step.layer = concat;
        break;
      }
      case Operator::batch_normalization:
        step.layer = Normalization{layer, 1, map_of(input), {}};
        add_weights(step, id);
        break;
      case Operator::local_response_normalization:
        step.layer = LocalResponseNormalization{layer,
                                                1,
                                                map_of(input),
                                                node.normalization_size,
                                                node.normalization_alpha,
                                                node.normalization_beta,
                                                node.normalization_bias};
        break;
      case Operator::softmax:
        step.layer = Softmax{layer, 1, input.channels, input.height * input.width, false};
        break;
      case Operator::transpose:
        step.layer = transposition(id);
        break;
      case Operator::relu:
      case Operator::relu6:
      case Operator::leaky_relu:
      case Operator::clip:
      case Operator::sigmoid:
      case Operator::hard_sigmoid:
      case Operator::hard_swish:
      case Operator::tanh:
        step.layer = Pointwise{layer, input.elements(), activation_of(node)};
        break;
      case Operator::input:
      case Operator::dropout:
      case Operator::identity:
      case Operator::flatten:
      case Operator::reshape:
        throw std::logic_error("no step");
    }
    return step;
  }

  void add_weights(Step& step, NodeId id) {
    const Node& node = network_.node(id);
    models::LayerWeights numbers;
    const std::vector<std::int64_t> extents = models::weight_extents(network_, id);
    const std::vector<std::int64_t> bias_extents = {extents.front()};
    const bool has_bias = node.bias || node.op == Operator::batch_normalization;
    if (!weights_.empty()) {
      const auto found = weights_.find(node.name);
      if (found == weights_.end()) throw std::invalid_argument(fmt::format("no weights of \"{}\"", node.name));
      numbers = found->second;
      check(node, "weights", numbers.weights, extents);
      if (has_bias) check(node, "bias", numbers.bias, bias_extents);
    }
    step.inputs.push_back(program_.add_value({node.name + ".weights", extents, true, numbers.weights, no_value}));
    step.inputs.push_back(
        has_bias ? program_.add_value({node.name + ".bias", bias_extents, true, numbers.bias, no_value}) : no_value);
  }

  static void check(const Node& node, std::string_view what, const models::Tensor& given,
                    const std::vector<std::int64_t>& expected) {
    if (given.extents() != expected)
      throw std::invalid_argument(fmt::format("{} of \"{}\": {}; expected {}", what, node.name,
                                              fmt::join(given.extents(), "x"), fmt::join(expected, "x")));
  }

  Pool pool(PoolKind kind, NodeId id) const {
    const Node& node = network_.node(id);
    return {static_cast<LayerId>(id),
            1,
            kind,
            map_of(network_.input_shape(id)),
            map_of(node.output),
            window_of(node.window),
            node.window.pad_bottom,
            node.window.pad_right};
  }

  Elementwise combination(NodeId id) const {
    const Node& node = network_.node(id);
    Elementwise layer{static_cast<LayerId>(id),
                      node.op == Operator::add ? Operation::add : Operation::multiply,
                      {node.output.channels, node.output.height, node.output.width},
                      {},
                      {}};
    for (const NodeId producer : node.inputs)
      layer.strides.push_back(network_.node(producer).output == node.output ? std::vector<std::int64_t>()
                                                                            : std::vector<std::int64_t>{1, 0, 0});
    return layer;
  }

  Rearrangement transposition(NodeId id) const {
    const Node& node = network_.node(id);
    const models::Shape input = network_.input_shape(id);
    const std::vector<std::int64_t> strides = {input.height * input.width, input.width, 1};
    Rearrangement layer{static_cast<LayerId>(id), {node.output.channels, node.output.height, node.output.width}, {}, 0};
    for (const std::uint8_t axis : node.permutation)
      layer.strides.push_back(strides[axis]);
    return layer;
  }

  const models::Network& network_;
  const models::Weights& weights_;
  Program program_;
  std::vector<ValueId> values_;  ///< by node
};

}  // namespace

Program lower(const models::Network& network, const models::Weights& weights, const std::vector<std::string>& outputs) {
  return Lowering(network, weights).run(outputs);
}

}  // namespace spillway::kernels
