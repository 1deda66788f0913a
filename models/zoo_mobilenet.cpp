// A. Howard et al.: MobileNets: efficient convolutional neural networks for mobile vision applications, 2017, Table 1.
#include <array>
#include <string>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

struct Block {
  std::int64_t filters;  ///< of the pointwise convolution
  std::int64_t stride;   ///< of the depthwise convolution
};

constexpr std::array<Block, 13> blocks = {{{64, 1},
                                           {128, 2},
                                           {128, 1},
                                           {256, 2},
                                           {256, 1},
                                           {512, 2},
                                           {512, 1},
                                           {512, 1},
                                           {512, 1},
                                           {512, 1},
                                           {512, 1},
                                           {1024, 2},
                                           {1024, 1}}};

NodeId normalized_relu6(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                        const Window& window, const ConvolutionOptions& options = {}) {
  const NodeId sum = convolution_normalized(network, name, from, filters, window, options);
  return append(network, Operator::relu6, name + "_relu6", {sum});
}

struct Variant {
  std::int64_t extent = 224;  ///< of the input
  std::int64_t divisor = 1;   ///< of the filters: 1 / width multiplier
  std::int64_t classes = 1000;
  bool dense_weight_bytes = false;
};

Network build(std::string name, const Variant& variant) {
  Network network(std::move(name));
  NodeId last = input(network, {3, variant.extent, variant.extent});
  last = normalized_relu6(network, "conv1", last, 32 / variant.divisor, square(3, 2, 1));
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const std::string number = std::to_string(index + 1);
    const std::int64_t channels = network.node(last).output.channels;
    last = normalized_relu6(network, "dw" + number, last, channels, square(3, blocks[index].stride, 1),
                            {.groups = channels, .dense_weight_bytes = variant.dense_weight_bytes});
    last = normalized_relu6(network, "pw" + number, last, blocks[index].filters / variant.divisor, square(1));
  }
  classifier(network, "fc", global_average_pool(network, "avgpool", last), variant.classes);
  return network;
}

}  // namespace

Network mobilenet() {
  return build("mobilenet", {});
}

Network mobilenet_dense_depthwise() {
  return build("mobilenet-dense-depthwise", {.dense_weight_bytes = true});
}

Network mobilenet_quarter_160() {
  return build("mobilenet-0.25-160", {.extent = 160, .divisor = 4});
}

// Visual wake words of MLPerf Tiny: a person, or none.
Network mobilenet_quarter_96() {
  return build("mobilenet-0.25-96", {.extent = 96, .divisor = 4, .classes = 2});
}

}  // namespace spillway::models::families
