// F. Iandola et al.: SqueezeNet: AlexNet-level accuracy with 50x fewer parameters and <0.5MB model size, 2016, Table 1
// (1.0), and the authors' release 1.1, which needs 2.4 times fewer MACs. The "squeezenet 1.0" of the ONNX model zoo and
// the one of ncnn's benchmark have the layers of 1.1.
#include <array>
#include <string>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

constexpr std::array<std::int64_t, 8> squeezed = {16, 16, 32, 32, 48, 48, 64, 64};
constexpr int first_fire = 2;
constexpr std::int64_t expansion = 4;  ///< filters of each expanding convolution, per squeezed channel

Window halving() {
  Window window = square(3, 2);
  window.ceil_mode = true;
  return window;
}

NodeId fire(Network& network, const std::string& name, NodeId from, std::int64_t channels) {
  const NodeId squeeze = convolution_relu(network, name + "_squeeze1x1", from, channels, square(1));
  const NodeId one = convolution_relu(network, name + "_expand1x1", squeeze, expansion * channels, square(1));
  const NodeId three = convolution_relu(network, name + "_expand3x3", squeeze, expansion * channels, square(3, 1, 1));
  return append(network, Operator::concat, name + "_concat", {one, three});
}

/// `pooled_fires`: the two fire modules that a pooling layer of the same number follows.
Network build(std::string name, std::int64_t first_filters, std::int64_t first_kernel,
              const std::array<int, 2>& pooled_fires) {
  Network network(std::move(name));
  NodeId last = input(network, {3, 224, 224});
  last = convolution_relu(network, "conv1", last, first_filters, square(first_kernel, 2));
  last = max_pool(network, "pool1", last, halving());
  int number = first_fire;
  for (const std::int64_t channels : squeezed) {
    last = fire(network, "fire" + std::to_string(number), last, channels);
    if (number == pooled_fires[0] || number == pooled_fires[1])
      last = max_pool(network, "pool" + std::to_string(number), last, halving());
    ++number;
  }
  last = append(network, Operator::dropout, "dropout", {last});
  last = convolution_relu(network, "conv10", last, 1000, square(1));
  append(network, Operator::softmax, "softmax", {global_average_pool(network, "avgpool", last)});
  return network;
}

}  // namespace

Network squeezenet() {
  return build("squeezenet", 64, 3, {3, 5});
}

Network squeezenet_1_0() {
  return build("squeezenet-1.0", 96, 7, {4, 8});
}

}  // namespace spillway::models::families
