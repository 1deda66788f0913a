#include "models/network.hpp"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "models/shapes.hpp"

namespace spillway::models {
namespace {

constexpr std::array<Operator, 24> operators = {
    Operator::input,
    Operator::convolution,
    Operator::dense,
    Operator::max_pool,
    Operator::average_pool,
    Operator::add,
    Operator::multiply,
    Operator::concat,
    Operator::batch_normalization,
    Operator::local_response_normalization,
    Operator::relu,
    Operator::relu6,
    Operator::leaky_relu,
    Operator::clip,
    Operator::sigmoid,
    Operator::hard_sigmoid,
    Operator::hard_swish,
    Operator::tanh,
    Operator::softmax,
    Operator::dropout,
    Operator::identity,
    Operator::flatten,
    Operator::reshape,
    Operator::transpose,
};

template <typename Count>
std::int64_t total(std::size_t nodes, Count count) {
  std::int64_t sum = 0;
  for (NodeId id = 0; id < nodes; ++id)
    sum += count(id);
  return sum;
}

}  // namespace

Network::Network(std::string name) : name_(std::move(name)) {
  if (name_.empty()) throw NetworkError("a network without a name; expected a name that is not empty");
}

std::optional<NodeId> Network::find(std::string_view name) const {
  const auto found = std::ranges::find(nodes_, name, &Node::name);
  if (found == nodes_.end()) return std::nullopt;
  return static_cast<NodeId>(found - nodes_.begin());
}

NodeId Network::add(Node node) {
  if (node.name.empty())
    throw NetworkError(fmt::format("network '{}': node {} ({}) has no name; expected one that is not empty", name_,
                                   nodes_.size(), to_string(node.op)));
  if (const auto other = find(node.name))
    throw NetworkError(fmt::format("network '{}': the name '{}' is taken by node {} ({}); expected a name used once",
                                   name_, node.name, *other, to_string(nodes_[*other].op)));
  std::vector<Shape> operands;
  for (const NodeId input : node.inputs) {
    if (input >= nodes_.size())
      throw NetworkError(fmt::format(
          "node '{}' ({}): input {} does not exist; expected a node added before it, of which network '{}' has {}",
          node.name, to_string(node.op), input, name_, nodes_.size()));
    operands.push_back(nodes_[input].output);
  }
  node.output = infer_shape(node, operands);
  if (!operands.empty()) {
    // Refuse here what would overflow, so that macs() and weights() never fail.
    count_macs(node, operands.front());
    count_weights(node, operands.front());
  }
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

std::vector<NodeId> Network::consumers(NodeId id) const {
  std::vector<NodeId> readers;
  for (NodeId reader = id + 1; reader < nodes_.size(); ++reader) {
    const std::vector<NodeId>& inputs = nodes_[reader].inputs;
    if (std::ranges::find(inputs, id) != inputs.end()) readers.push_back(reader);
  }
  return readers;
}

Shape Network::input_shape(NodeId id) const {
  const Node& reader = node(id);
  if (reader.op == Operator::input || reader.op == Operator::concat) return reader.output;
  return node(reader.inputs.front()).output;
}

bool Network::is_depthwise(NodeId id) const {
  const Node& layer = node(id);
  return layer.op == Operator::convolution && layer.groups > 1 && layer.groups == input_shape(id).channels;
}

std::int64_t Network::macs(NodeId id) const {
  return count_macs(node(id), input_shape(id));
}

std::int64_t Network::weights(NodeId id) const {
  return count_weights(node(id), input_shape(id));
}

std::int64_t Network::biases(NodeId id) const {
  const Node& layer = node(id);
  if (layer.op == Operator::batch_normalization) return 2 * layer.output.channels;
  return layer.bias ? layer.output.channels : 0;
}

std::int64_t Network::total_macs() const {
  return total(nodes_.size(), [this](NodeId id) { return macs(id); });
}

std::int64_t Network::total_weights() const {
  return total(nodes_.size(), [this](NodeId id) { return weights(id); });
}

std::int64_t Network::total_biases() const {
  return total(nodes_.size(), [this](NodeId id) { return biases(id); });
}

std::int64_t bytes_of(ElementType type) {
  return type == ElementType::int8 ? 1 : 4;
}

std::span<const Operator> all_operators() {
  return operators;
}

std::string_view to_string(Operator op) {
  switch (op) {
    case Operator::input:
      return "input";
    case Operator::convolution:
      return "convolution";
    case Operator::dense:
      return "dense";
    case Operator::max_pool:
      return "max_pool";
    case Operator::average_pool:
      return "average_pool";
    case Operator::add:
      return "add";
    case Operator::multiply:
      return "multiply";
    case Operator::concat:
      return "concat";
    case Operator::batch_normalization:
      return "batch_normalization";
    case Operator::local_response_normalization:
      return "local_response_normalization";
    case Operator::relu:
      return "relu";
    case Operator::relu6:
      return "relu6";
    case Operator::leaky_relu:
      return "leaky_relu";
    case Operator::clip:
      return "clip";
    case Operator::sigmoid:
      return "sigmoid";
    case Operator::hard_sigmoid:
      return "hard_sigmoid";
    case Operator::hard_swish:
      return "hard_swish";
    case Operator::tanh:
      return "tanh";
    case Operator::softmax:
      return "softmax";
    case Operator::dropout:
      return "dropout";
    case Operator::identity:
      return "identity";
    case Operator::flatten:
      return "flatten";
    case Operator::reshape:
      return "reshape";
    case Operator::transpose:
      return "transpose";
  }
  return "unknown operator";
}

std::string_view to_string(ElementType type) {
  return type == ElementType::int8 ? "int8" : "float32";
}

std::string to_string(const Shape& shape) {
  return fmt::format("{}x{}x{}", shape.channels, shape.height, shape.width);
}

}  // namespace spillway::models
