#include "models/layers.hpp"

#include <utility>

namespace spillway::models {
namespace {

Node node_of(Operator op, std::string name, std::vector<NodeId> inputs) {
  Node node;
  node.name = std::move(name);
  node.op = op;
  node.inputs = std::move(inputs);
  return node;
}

NodeId pool(Network& network, Operator op, std::string name, NodeId from, const Window& window) {
  Node node = node_of(op, std::move(name), {from});
  node.window = window;
  return network.add(std::move(node));
}

}  // namespace

Window square(std::int64_t kernel, std::int64_t stride, std::int64_t padding) {
  Window window;
  window.kernel_height = window.kernel_width = kernel;
  window.stride_height = window.stride_width = stride;
  window.pad_top = window.pad_left = window.pad_bottom = window.pad_right = padding;
  return window;
}

NodeId append(Network& network, Operator op, std::string name, std::vector<NodeId> inputs) {
  return network.add(node_of(op, std::move(name), std::move(inputs)));
}

NodeId input(Network& network, Shape shape) {
  Node node = node_of(Operator::input, "input", {});
  node.output = shape;
  return network.add(std::move(node));
}

NodeId convolution(Network& network, std::string name, NodeId from, std::int64_t filters, const Window& window,
                   const ConvolutionOptions& options) {
  Node node = node_of(Operator::convolution, std::move(name), {from});
  node.window = window;
  node.groups = options.groups;
  node.bias = options.bias;
  node.dense_weight_bytes = options.dense_weight_bytes;
  node.output.channels = filters;
  return network.add(std::move(node));
}

NodeId dense(Network& network, std::string name, NodeId from, std::int64_t outputs) {
  Node node = node_of(Operator::dense, std::move(name), {from});
  node.bias = true;
  node.output.channels = outputs;
  return network.add(std::move(node));
}

NodeId max_pool(Network& network, std::string name, NodeId from, const Window& window) {
  return pool(network, Operator::max_pool, std::move(name), from, window);
}

NodeId average_pool(Network& network, std::string name, NodeId from, const Window& window) {
  return pool(network, Operator::average_pool, std::move(name), from, window);
}

NodeId global_average_pool(Network& network, std::string name, NodeId from) {
  const Shape map = network.node(from).output;
  Window window;
  window.kernel_height = map.height;
  window.kernel_width = map.width;
  return average_pool(network, std::move(name), from, window);
}

NodeId local_response_normalization(Network& network, std::string name, NodeId from, std::int64_t size) {
  Node node = node_of(Operator::local_response_normalization, std::move(name), {from});
  node.normalization_size = size;
  return network.add(std::move(node));
}

NodeId convolution_relu(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                        const Window& window, std::int64_t groups) {
  const NodeId sum = convolution(network, name, from, filters, window, {.groups = groups});
  return append(network, Operator::relu, name + "_relu", {sum});
}

NodeId convolution_normalized(Network& network, const std::string& name, NodeId from, std::int64_t filters,
                              const Window& window, ConvolutionOptions options) {
  options.bias = false;
  const NodeId sum = convolution(network, name, from, filters, window, options);
  return append(network, Operator::batch_normalization, name + "_bn", {sum});
}

NodeId classifier(Network& network, const std::string& name, NodeId from, std::int64_t classes) {
  const NodeId vector = append(network, Operator::flatten, "flatten", {from});
  return append(network, Operator::softmax, "softmax", {dense(network, name, vector, classes)});
}

}  // namespace spillway::models
