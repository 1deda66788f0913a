// Networks small enough to follow by hand, each with one shape of graph; ours, for tests and exhaustive searches.
#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

constexpr Shape image = {3, 16, 16};
constexpr std::int64_t classes = 10;

NodeId relu(Network& network, const char* name, NodeId from) {
  return append(network, Operator::relu, name, {from});
}

}  // namespace

Network tiny_chain() {
  Network network("tiny-chain");
  NodeId last = input(network, image);
  last = convolution_relu(network, "conv1", last, 8, square(3, 1, 1));
  last = max_pool(network, "pool1", last, square(2, 2));
  last = convolution_relu(network, "conv2", last, 16, square(3, 1, 1));
  last = convolution_relu(network, "conv3", last, 16, square(3, 1, 1));
  last = max_pool(network, "pool2", last, square(2, 2));
  classifier(network, "fc", last, classes);
  return network;
}

Network tiny_residual() {
  Network network("tiny-residual");
  NodeId last = input(network, image);
  last = relu(network, "conv1_relu", convolution_normalized(network, "conv1", last, 8, square(3, 1, 1)));

  NodeId branch = convolution_normalized(network, "c1a", last, 8, square(3, 1, 1));
  branch = convolution_normalized(network, "c1b", relu(network, "c1a_relu", branch), 8, square(3, 1, 1));
  last = relu(network, "add1_relu", append(network, Operator::add, "add1", {branch, last}));

  branch = convolution_normalized(network, "c2a", last, 16, square(3, 2, 1));
  branch = convolution_normalized(network, "c2b", relu(network, "c2a_relu", branch), 16, square(3, 1, 1));
  const NodeId projection = convolution_normalized(network, "ds2", last, 16, square(1, 2));
  last = relu(network, "add2_relu", append(network, Operator::add, "add2", {branch, projection}));

  classifier(network, "fc", global_average_pool(network, "avgpool", last), classes);
  return network;
}

Network tiny_inception() {
  Network network("tiny-inception");
  NodeId last = input(network, image);
  last = convolution_relu(network, "conv1", last, 8, square(3, 1, 1));
  const NodeId one = convolution_relu(network, "1x1", last, 4, square(1));
  const NodeId reduced = convolution_relu(network, "3r", last, 4, square(1));
  const NodeId three = convolution_relu(network, "3x3", reduced, 8, square(3, 1, 1));
  const NodeId five = convolution_relu(network, "5x5", reduced, 4, square(5, 1, 2));
  const NodeId pooled = convolution_relu(network, "pp", max_pool(network, "pool", last, square(3, 1, 1)), 4, square(1));
  last = append(network, Operator::concat, "concat", {one, three, five, pooled});
  Window halving = square(3, 2);
  halving.ceil_mode = true;
  last = max_pool(network, "pool2", last, halving);
  classifier(network, "fc", last, classes);
  return network;
}

Network tiny_depthwise() {
  Network network("tiny-depthwise");
  NodeId last = input(network, image);
  last = convolution_relu(network, "conv1", last, 8, square(3, 2, 1));
  last = convolution_relu(network, "dw1", last, 8, square(3, 1, 1), 8);
  last = convolution_relu(network, "pw1", last, 16, square(1));
  last = convolution_relu(network, "dw2", last, 16, square(3, 2, 1), 16);
  last = convolution_relu(network, "pw2", last, 32, square(1));
  classifier(network, "fc", global_average_pool(network, "avgpool", last), classes);
  return network;
}

}  // namespace spillway::models::families
