// K. He, X. Zhang, S. Ren, J. Sun: Deep residual learning for image recognition, 2016, Table 1. The bottleneck has its
// stride in the 3x3 convolution, as torchvision and most trained weights have ("v1.5"; 4.09 instead of 3.86 G MACs for
// ResNet-50).
#include <array>
#include <string>

#include <fmt/format.h>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

enum class Block { basic, bottleneck };

NodeId relu(Network& network, const std::string& name, NodeId from) {
  return append(network, Operator::relu, name + "_relu", {from});
}

NodeId convolution_normalized_relu(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                                   const Window& window) {
  return relu(network, name, convolution_normalized(network, name, from, filters, window));
}

/// The residual branch of one block, up to its last normalization.
NodeId branch(Network& network, Block block, const std::string& name, NodeId from, std::int64_t width,
              std::int64_t stride) {
  if (block == Block::basic) {
    from = convolution_normalized_relu(network, name + "a", from, width, square(3, stride, 1));
    return convolution_normalized(network, name + "b", from, width, square(3, 1, 1));
  }
  from = convolution_normalized_relu(network, name + "a", from, width, square(1));
  from = convolution_normalized_relu(network, name + "b", from, width, square(3, stride, 1));
  return convolution_normalized(network, name + "c", from, 4 * width, square(1));
}

/// Stages are numbered 2 to 5, as in the paper's table.
NodeId stage(Network& network, Block block, int number, NodeId last, std::int64_t width, int blocks) {
  for (int index = 1; index <= blocks; ++index) {
    const std::int64_t stride = number > 2 && index == 1 ? 2 : 1;
    const NodeId residual = branch(network, block, fmt::format("c{}_{}", number, index), last, width, stride);
    NodeId shortcut = last;
    if (network.node(residual).output != network.node(last).output)
      shortcut = convolution_normalized(network, fmt::format("ds{}", number), last,
                                        network.node(residual).output.channels, square(1, stride));
    const std::string name = fmt::format("add{}_{}", number, index);
    last = relu(network, name, append(network, Operator::add, name, {residual, shortcut}));
  }
  return last;
}

Network build(std::string name, Block block, const std::array<int, 4>& blocks_of_stage) {
  Network network(std::move(name));
  NodeId last = input(network, {3, 224, 224});
  last = convolution_normalized_relu(network, "conv1", last, 64, square(7, 2, 3));
  last = max_pool(network, "maxpool", last, square(3, 2, 1));
  std::int64_t width = 64;
  for (int index = 0; index < 4; ++index, width *= 2)
    last = stage(network, block, index + 2, last, width, blocks_of_stage[static_cast<std::size_t>(index)]);
  classifier(network, "fc", global_average_pool(network, "avgpool", last), 1000);
  return network;
}

}  // namespace

Network resnet18() {
  return build("resnet18", Block::basic, {2, 2, 2, 2});
}

Network resnet50() {
  return build("resnet50", Block::bottleneck, {3, 4, 6, 3});
}

Network resnet101() {
  return build("resnet101", Block::bottleneck, {3, 4, 23, 3});
}

}  // namespace spillway::models::families
