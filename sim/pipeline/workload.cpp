#include "sim/pipeline/workload.hpp"

#include <algorithm>

#include "sim/cost/work.hpp"

namespace spillway::pipeline {
namespace {

using models::Operator;

bool works_in_place(Operator op) {
  return cost::is_activation(op) || cost::has_no_work(op) || op == Operator::batch_normalization ||
         op == Operator::softmax || op == Operator::add || op == Operator::multiply;
}

Workload::Call call_of(const models::Network& network, const models::Node& node) {
  const auto has_its_shape = [&](models::NodeId operand) { return network.node(operand).output == node.output; };
  switch (node.op) {
    case Operator::convolution:
      return Workload::Call::convolution;
    case Operator::batch_normalization:
      return Workload::Call::normalization;
    case Operator::add:
      return node.inputs.size() == 2 && node.inputs[0] != node.inputs[1] &&
                     std::ranges::all_of(node.inputs, has_its_shape)
                 ? Workload::Call::addition
                 : Workload::Call::other;
    case Operator::dense:
    case Operator::multiply:
      return Workload::Call::other;
    default:
      return cost::is_activation(node.op) ? Workload::Call::activation : Workload::Call::alone;
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
                      node.op != Operator::input && readers.empty(), works_in_place(node.op), call_of(network, node)});
    operands_.append(node.inputs);
    readers_.append(readers);
    names_.push_back(node.name);
  }
}

}  // namespace spillway::pipeline
