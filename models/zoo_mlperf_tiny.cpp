// The reference networks of MLPerf Tiny: C. Banbury et al.: MLPerf Tiny benchmark, 2021, repository mlcommons/tiny.
// The fourth, visual wake words, is MobileNet v1 0.25 (zoo_mobilenet.cpp).
#include <array>
#include <string>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

/// TensorFlow's "same" padding of a 10 x 4 window with a stride of 2 over 49 x 10.
Window first_of_keywords() {
  Window window;
  window.kernel_height = 10;
  window.kernel_width = 4;
  window.stride_height = window.stride_width = 2;
  window.pad_top = 4;
  window.pad_bottom = 5;
  window.pad_left = window.pad_right = 1;
  return window;
}

NodeId normalized_relu(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                       const Window& shape, const ConvolutionOptions& options = {}) {
  const NodeId sum = convolution_normalized(network, name, from, filters, shape, options);
  return append(network, Operator::relu, name + "_relu", {sum});
}

}  // namespace

Network autoencoder_toyadmos() {
  Network network("autoencoder-toyadmos");
  NodeId last = input(network, {640, 1, 1});
  constexpr std::array<std::int64_t, 9> widths = {128, 128, 128, 128, 8, 128, 128, 128, 128};
  for (std::size_t index = 0; index < widths.size(); ++index) {
    const std::string name = "fc" + std::to_string(index + 1);
    last = append(network, Operator::relu, name + "_relu", {dense(network, name, last, widths[index])});
  }
  dense(network, "fc10", last, 640);
  return network;
}

Network resnet8_cifar() {
  Network network("resnet8-cifar");
  NodeId last = normalized_relu(network, "conv1", input(network, {3, 32, 32}), 16, square(3, 1, 1));
  for (const std::int64_t filters : {16, 32, 64}) {
    const std::string stack = "stack" + std::to_string(filters / 32 + 1);
    const std::int64_t stride = filters == 16 ? 1 : 2;
    const NodeId first = normalized_relu(network, stack + "_conv1", last, filters, square(3, stride, 1));
    const NodeId second = convolution_normalized(network, stack + "_conv2", first, filters, square(3, 1, 1));
    const NodeId beside =
        stride == 1 ? last : convolution(network, stack + "_projection", last, filters, square(1, stride));
    const NodeId sum = append(network, Operator::add, stack + "_add", {beside, second});
    last = append(network, Operator::relu, stack + "_relu", {sum});
  }
  classifier(network, "fc", global_average_pool(network, "avgpool", last), 10);
  return network;
}

Network ds_cnn_keywords() {
  Network network("ds-cnn-keywords");
  NodeId last = normalized_relu(network, "conv1", input(network, {1, 49, 10}), 64, first_of_keywords());
  for (int index = 1; index <= 4; ++index) {
    const std::string number = std::to_string(index);
    last = normalized_relu(network, "dw" + number, last, 64, square(3, 1, 1), {.groups = 64});
    last = normalized_relu(network, "pw" + number, last, 64, square(1));
  }
  classifier(network, "fc", global_average_pool(network, "avgpool", last), 12);
  return network;
}

}  // namespace spillway::models::families
