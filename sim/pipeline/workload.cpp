#include "sim/pipeline/workload.hpp"

namespace spillway::pipeline {
namespace {

using models::Operator;

bool works_in_place(Operator op) {
  switch (op) {
    case Operator::batch_normalization:
    case Operator::relu:
    case Operator::relu6:
    case Operator::leaky_relu:
    case Operator::clip:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::hard_swish:
    case Operator::tanh:
    case Operator::softmax:
    case Operator::dropout:
    case Operator::identity:
    case Operator::flatten:
    case Operator::reshape:
    case Operator::add:
    case Operator::multiply:
      return true;
    default:
      return false;
  }
}

}  // namespace

void Workload::Lists::append(std::span<const models::NodeId> list) {
  items.insert(items.end(), list.begin(), list.end());
  begins.push_back(items.size());
}

Workload::Workload(const models::Network& network) {
  constexpr auto element = models::ElementType::float32;
  for (models::NodeId id = 0; id < network.nodes().size(); ++id) {
    const models::Node& node = network.node(id);
    const std::vector<models::NodeId> readers = network.consumers(id);
    const std::int64_t weights = network.weights(id) + network.biases(id);
    nodes_.push_back({static_cast<std::uint64_t>(network.feature_map_bytes(id, element)),
                      static_cast<std::uint64_t>(weights * models::bytes_of(element)), node.op == Operator::input,
                      node.op != Operator::input && readers.empty(), works_in_place(node.op)});
    operands_.append(node.inputs);
    readers_.append(readers);
    names_.push_back(node.name);
  }
}

}  // namespace spillway::pipeline
