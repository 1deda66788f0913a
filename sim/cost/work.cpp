#include "sim/cost/work.hpp"

namespace spillway::cost {
namespace {

using models::Operator;

constexpr double bytes_of_element = 4;

ComputeKind kind_of_convolution(const models::Network& network, models::NodeId id) {
  const models::Node& node = network.node(id);
  const models::Window& window = node.window;
  if (network.is_depthwise(id)) return ComputeKind::depthwise;
  if (window.kernel_height == 1 && window.kernel_width == 1) return ComputeKind::pointwise;
  const bool is_dense_3x3 = window.kernel_height == 3 && window.kernel_width == 3 && window.stride_height == 1 &&
                            window.stride_width == 1 && window.dilation_height == 1 && window.dilation_width == 1 &&
                            node.groups == 1;
  return is_dense_3x3 ? ComputeKind::winograd : ComputeKind::convolution;
}

/// Elements that the layer reads and writes, without its weights.
double elements_of(const models::Network& network, models::NodeId id) {
  const models::Node& node = network.node(id);
  double elements = static_cast<double>(node.output.elements());
  for (const models::NodeId input : node.inputs)
    elements += static_cast<double>(network.node(input).output.elements());
  return elements;
}

void add_bytes(Work& work, MemoryKind kind, double elements) {
  work.bytes[static_cast<std::size_t>(kind)] += elements * bytes_of_element;
}

}  // namespace

bool is_activation(Operator op) {
  switch (op) {
    case Operator::relu:
    case Operator::relu6:
    case Operator::leaky_relu:
    case Operator::clip:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::hard_swish:
    case Operator::tanh:
      return true;
    default:
      return false;
  }
}

bool has_no_work(Operator op) {
  return op == Operator::input || op == Operator::dropout || op == Operator::identity || op == Operator::flatten ||
         op == Operator::reshape;
}

Work& Work::operator+=(const Work& other) {
  for (std::size_t kind = 0; kind < macs.size(); ++kind)
    macs[kind] += other.macs[kind];
  for (std::size_t kind = 0; kind < bytes.size(); ++kind)
    bytes[kind] += other.bytes[kind];
  calls += other.calls;
  return *this;
}

Work work_of(const models::Network& network, models::NodeId id) {
  const models::Node& node = network.node(id);
  Work work;
  if (has_no_work(node.op)) return work;
  work.calls = 1;
  const double elements = elements_of(network, id), macs = static_cast<double>(network.macs(id));
  if (node.op == Operator::convolution) {
    work.macs[static_cast<std::size_t>(kind_of_convolution(network, id))] = macs;
    // Not Network::weights(), which may count a depthwise convolution as SwapNN did.
    const double weights = macs / static_cast<double>(node.output.height * node.output.width);
    add_bytes(work, MemoryKind::convolution, elements + weights);
  } else if (node.op == Operator::dense) {
    work.macs[static_cast<std::size_t>(ComputeKind::dense)] = macs;
    add_bytes(work, MemoryKind::dense, elements + macs);
  } else if (node.op == Operator::max_pool || node.op == Operator::average_pool) {
    add_bytes(work, MemoryKind::pooling, elements);
  } else {
    add_bytes(work, MemoryKind::elementwise, elements);
  }
  return work;
}

bool can_fuse(const models::Network& network, models::NodeId id) {
  const auto may_follow = [](Operator op) { return op == Operator::batch_normalization || is_activation(op); };
  while (may_follow(network.node(id).op)) {
    id = network.node(id).inputs.front();
    if (network.consumers(id).size() != 1) return false;
    const Operator op = network.node(id).op;
    if (op == Operator::convolution || op == Operator::dense) return true;
  }
  return false;
}

Work work_of(const models::Network& network) {
  Work work;
  for (models::NodeId id = 0; id < network.nodes().size(); ++id)
    if (!can_fuse(network, id)) work += work_of(network, id);
  return work;
}

}  // namespace spillway::cost
