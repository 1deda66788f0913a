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

Network build(std::string name, bool dense_weight_bytes) {
  Network network(std::move(name));
  NodeId last = input(network, {3, 224, 224});
  last = normalized_relu6(network, "conv1", last, 32, square(3, 2, 1));
  for (std::size_t index = 0; index < blocks.size(); ++index) {
    const std::string number = std::to_string(index + 1);
    const std::int64_t channels = network.node(last).output.channels;
    last = normalized_relu6(network, "dw" + number, last, channels, square(3, blocks[index].stride, 1),
                            {.groups = channels, .dense_weight_bytes = dense_weight_bytes});
    last = normalized_relu6(network, "pw" + number, last, blocks[index].filters, square(1));
  }
  classifier(network, "fc", global_average_pool(network, "avgpool", last), 1000);
  return network;
}

}  // namespace

Network mobilenet() {
  return build("mobilenet", false);
}

Network mobilenet_dense_depthwise() {
  return build("mobilenet-dense-depthwise", true);
}

}  // namespace spillway::models::families
