// C. Szegedy et al.: Going deeper with convolutions, 2015, Table 1; without the auxiliary classifiers, which exist for
// training only, and without the two LRN layers, which SwapNN's counts of GoogLeNet do not have.
#include <array>
#include <string>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

/// Filters of the branches of one inception module.
struct Inception {
  const char* name;
  std::int64_t one;                   ///< 1x1
  std::int64_t three_reduced, three;  ///< 1x1, then 3x3
  std::int64_t five_reduced, five;    ///< 1x1, then 5x5
  std::int64_t pooled;                ///< 3x3 max pooling, then 1x1
  const char* pool_behind = nullptr;
};

constexpr std::array<Inception, 9> modules = {{{"3a", 64, 96, 128, 16, 32, 32},
                                               {"3b", 128, 128, 192, 32, 96, 64, "pool3"},
                                               {"4a", 192, 96, 208, 16, 48, 64},
                                               {"4b", 160, 112, 224, 24, 64, 64},
                                               {"4c", 128, 128, 256, 24, 64, 64},
                                               {"4d", 112, 144, 288, 32, 64, 64},
                                               {"4e", 256, 160, 320, 32, 128, 128, "pool4"},
                                               {"5a", 256, 160, 320, 32, 128, 128},
                                               {"5b", 384, 192, 384, 48, 128, 128}}};

Window halving() {
  Window window = square(3, 2);
  window.ceil_mode = true;
  return window;
}

NodeId inception(Network& network, const Inception& module, NodeId from) {
  const std::string name = std::string(module.name) + "_";
  const NodeId one = convolution_relu(network, name + "1x1", from, module.one, square(1));
  NodeId three = convolution_relu(network, name + "3r", from, module.three_reduced, square(1));
  three = convolution_relu(network, name + "3x3", three, module.three, square(3, 1, 1));
  NodeId five = convolution_relu(network, name + "5r", from, module.five_reduced, square(1));
  five = convolution_relu(network, name + "5x5", five, module.five, square(5, 1, 2));
  NodeId pooled = max_pool(network, name + "pool", from, square(3, 1, 1));
  pooled = convolution_relu(network, name + "pp", pooled, module.pooled, square(1));
  return append(network, Operator::concat, name + "concat", {one, three, five, pooled});
}

}  // namespace

Network googlenet() {
  Network network("googlenet");
  NodeId last = input(network, {3, 224, 224});
  last = convolution_relu(network, "conv1", last, 64, square(7, 2, 3));
  last = max_pool(network, "pool1", last, halving());
  last = convolution_relu(network, "conv2r", last, 64, square(1));
  last = convolution_relu(network, "conv2", last, 192, square(3, 1, 1));
  last = max_pool(network, "pool2", last, halving());
  for (const Inception& module : modules) {
    last = inception(network, module, last);
    if (module.pool_behind != nullptr) last = max_pool(network, module.pool_behind, last, halving());
  }
  last = global_average_pool(network, "avgpool", last);
  classifier(network, "fc", append(network, Operator::dropout, "dropout", {last}), 1000);
  return network;
}

}  // namespace spillway::models::families
