#include "hw/swap/image/operators.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spillway::execution {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;

std::uint16_t small(std::int64_t value) {
  return static_cast<std::uint16_t>(value);
}

int8::Window window_of(const models::Window& window) {
  return {small(window.kernel_height),   small(window.kernel_width),  small(window.stride_height),
          small(window.stride_width),    small(window.pad_top),       small(window.pad_left),
          small(window.dilation_height), small(window.dilation_width)};
}

LayerOperator operator_of(const core::Layer& layer, const Network& network, NodeId id) {
  const Node& node = network.node(id);
  LayerOperator made;
  switch (node.op) {
    case Operator::convolution: {
      made.kernel = layer.channelwise ? Kernel::depthwise : Kernel::convolution;
      made.window = window_of(node.window);
      const std::int64_t channels = network.input_shape(id).channels;
      made.filter_channels = static_cast<std::uint32_t>(channels / node.groups);
      made.group_filters = static_cast<std::uint32_t>(node.output.channels / node.groups);
      return made;
    }
    case Operator::dense:
      made.kernel = Kernel::dense;
      made.filter_channels = static_cast<std::uint32_t>(network.input_shape(id).elements());
      return made;
    case Operator::max_pool:
    case Operator::average_pool:
      made.kernel = node.op == Operator::max_pool ? Kernel::max_pool : Kernel::average_pool;
      made.window = window_of(node.window);
      made.count_padding = node.count_include_pad;
      made.pad_bottom = small(node.window.pad_bottom);
      made.pad_right = small(node.window.pad_right);
      return made;
    case Operator::add:
      made.kernel = Kernel::addition;
      if (node.inputs.size() > int8::most_operands) {
        throw NotExecutable(fmt::format("layer `{}` adds {} maps: expected at most {}", node.name, node.inputs.size(),
                                        int8::most_operands));
      }
      return made;
    default:
      throw NotExecutable(
          fmt::format("layer `{}`: there is no kernel for the operator {}", node.name, models::to_string(node.op)));
  }
}

/// The first transpose between a node and the rows that it reads; nothing: it reads them as they are stored.
const Node* transposed(const Network& network, const std::vector<NodeId>& rows, NodeId id) {
  for (const NodeId input : network.node(id).inputs) {
    const Node& node = network.node(input);
    if (node.op == Operator::input || std::ranges::find(rows, input) != rows.end()) continue;
    if (node.op == Operator::transpose) return &node;
    if (const Node* found = transposed(network, rows, input)) return found;
  }
  return nullptr;
}

}  // namespace

std::vector<LayerOperator> operators_of(const core::Plan& plan, const Network& network,
                                        const std::vector<NodeId>& rows) {
  std::vector<LayerOperator> operators;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    operators.push_back(operator_of(plan.layers[row], network, rows[row]));
    if (operators.back().kernel == Kernel::dense) continue;
    if (const Node* node = transposed(network, rows, rows[row])) {
      throw NotExecutable(fmt::format("layer `{}` reads a map that `{}` transposes: only a dense layer can be run so",
                                      network.node(rows[row]).name, node->name));
    }
  }
  return operators;
}

}  // namespace spillway::execution
