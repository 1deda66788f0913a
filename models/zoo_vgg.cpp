// K. Simonyan, A. Zisserman: Very deep convolutional networks for large-scale image recognition, 2015, Table 1.
#include <array>
#include <string>

#include <fmt/format.h>

#include "models/layers.hpp"
#include "models/zoo_families.hpp"

namespace spillway::models::families {
namespace {

constexpr std::array<std::int64_t, 5> filters_of_block = {64, 128, 256, 512, 512};

Network vgg(std::string name, const std::array<int, 5>& convolutions_of_block) {
  Network network(std::move(name));
  NodeId last = input(network, {3, 224, 224});
  for (std::size_t block = 0; block < filters_of_block.size(); ++block) {
    for (int layer = 1; layer <= convolutions_of_block[block]; ++layer)
      last = convolution_relu(network, fmt::format("conv{}_{}", block + 1, layer), last, filters_of_block[block],
                              square(3, 1, 1));
    last = max_pool(network, fmt::format("pool{}", block + 1), last, square(2, 2));
  }
  last = append(network, Operator::flatten, "flatten", {last});
  for (const std::string layer : {"fc6", "fc7"}) {
    last = append(network, Operator::relu, layer + "_relu", {dense(network, layer, last, 4096)});
    last = append(network, Operator::dropout, layer + "_dropout", {last});
  }
  append(network, Operator::softmax, "softmax", {dense(network, "fc8", last, 1000)});
  return network;
}

}  // namespace

Network vgg16() {
  return vgg("vgg16", {2, 2, 3, 3, 3});
}

Network vgg19() {
  return vgg("vgg19", {2, 2, 4, 4, 4});
}

}  // namespace spillway::models::families
