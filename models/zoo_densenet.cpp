// G. Huang, Z. Liu, L. van der Maaten, K. Weinberger: Densely connected convolutional networks, 2017, Table 1.
#include <array>
#include <string>

#include <fmt/format.h>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

constexpr std::int64_t growth = 32;
constexpr std::int64_t bottleneck = 4 * growth;
constexpr std::array<int, 4> layers_of_block = {6, 12, 24, 16};

/// Normalization and ReLU stand before the convolution that `name` names.
NodeId normalized_relu(Network& network, const std::string& name, NodeId from) {
  const NodeId normalized = append(network, Operator::batch_normalization, name + "_bn", {from});
  return append(network, Operator::relu, name + "_relu", {normalized});
}

NodeId preactivated(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                    const Window& window) {
  return convolution(network, name, normalized_relu(network, name, from), filters, window, {.bias = false});
}

NodeId dense_block(Network& network, std::size_t number, NodeId features) {
  for (int layer = 1; layer <= layers_of_block[number - 1]; ++layer) {
    const std::string name = fmt::format("d{}_{}_", number, layer);
    const NodeId reduced = preactivated(network, name + "1x1", features, bottleneck, square(1));
    const NodeId grown = preactivated(network, name + "3x3", reduced, growth, square(3, 1, 1));
    features = append(network, Operator::concat, name + "concat", {features, grown});
  }
  return features;
}

NodeId transition(Network& network, std::size_t number, NodeId from) {
  const std::int64_t channels = network.node(from).output.channels;
  const NodeId halved = preactivated(network, fmt::format("t{}", number), from, channels / 2, square(1));
  return average_pool(network, fmt::format("t{}_pool", number), halved, square(2, 2));
}

}  // namespace

Network densenet121() {
  Network network("densenet121");
  NodeId last = input(network, {3, 224, 224});
  last = convolution_normalized(network, "conv1", last, 2 * growth, square(7, 2, 3));
  last = append(network, Operator::relu, "conv1_relu", {last});
  last = max_pool(network, "maxpool", last, square(3, 2, 1));
  for (std::size_t block = 1; block <= layers_of_block.size(); ++block) {
    last = dense_block(network, block, last);
    if (block < layers_of_block.size()) last = transition(network, block, last);
  }
  last = normalized_relu(network, "final", last);
  classifier(network, "fc", global_average_pool(network, "avgpool", last), 1000);
  return network;
}

}  // namespace spillway::models::families
