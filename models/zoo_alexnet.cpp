// A. Krizhevsky, I. Sutskever, G. Hinton: ImageNet classification with deep convolutional neural networks, 2012; the
// 227x227 input is the one for which its sizes hold without padding. The torchvision variant follows A. Krizhevsky:
// One weird trick for parallelizing convolutional neural networks, 2014.
#include <array>
#include <string>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

struct Variant {
  std::string name;
  std::int64_t input_size;
  std::int64_t first_padding;
  std::array<std::int64_t, 5> filters;
  std::int64_t groups;  ///< of conv2, conv4 and conv5
  bool normalized;      ///< LRN over five channels before pool1 and pool2
  bool dropout_before_dense;
};

NodeId dense_layers(Network& network, const Variant& variant, NodeId last) {
  last = append(network, Operator::flatten, "flatten", {last});
  for (const std::string layer : {"fc6", "fc7"}) {
    if (variant.dropout_before_dense) last = append(network, Operator::dropout, layer + "_dropout", {last});
    last = append(network, Operator::relu, layer + "_relu", {dense(network, layer, last, 4096)});
    if (!variant.dropout_before_dense) last = append(network, Operator::dropout, layer + "_dropout", {last});
  }
  return dense(network, "fc8", last, 1000);
}

Network build(const Variant& variant) {
  Network network(variant.name);
  const auto& filters = variant.filters;
  const std::int64_t groups = variant.groups;
  const auto normalized = [&](const std::string& name, NodeId from) {
    return variant.normalized ? local_response_normalization(network, name, from, 5) : from;
  };
  NodeId last = input(network, {3, variant.input_size, variant.input_size});
  last = convolution_relu(network, "conv1", last, filters[0], square(11, 4, variant.first_padding));
  last = normalized("lrn1", last);
  last = max_pool(network, "pool1", last, square(3, 2));
  last = convolution_relu(network, "conv2", last, filters[1], square(5, 1, 2), groups);
  last = normalized("lrn2", last);
  last = max_pool(network, "pool2", last, square(3, 2));
  last = convolution_relu(network, "conv3", last, filters[2], square(3, 1, 1));
  last = convolution_relu(network, "conv4", last, filters[3], square(3, 1, 1), groups);
  last = convolution_relu(network, "conv5", last, filters[4], square(3, 1, 1), groups);
  last = max_pool(network, "pool5", last, square(3, 2));
  append(network, Operator::softmax, "softmax", {dense_layers(network, variant, last)});
  return network;
}

}  // namespace

Network alexnet() {
  return build({.name = "alexnet",
                .input_size = 227,
                .first_padding = 0,
                .filters = {96, 256, 384, 384, 256},
                .groups = 2,
                .normalized = true,
                .dropout_before_dense = false});
}

Network alexnet_ungrouped() {
  return build({.name = "alexnet-ungrouped",
                .input_size = 227,
                .first_padding = 0,
                .filters = {96, 256, 384, 384, 256},
                .groups = 1,
                .normalized = false,
                .dropout_before_dense = false});
}

Network alexnet_torchvision() {
  return build({.name = "alexnet-torchvision",
                .input_size = 224,
                .first_padding = 2,
                .filters = {64, 192, 384, 256, 256},
                .groups = 1,
                .normalized = false,
                .dropout_before_dense = true});
}

}  // namespace spillway::models::families
