#include "random_split.hpp"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "models/layers.hpp"
#include "models/seeded_weights.hpp"
#include "models/zoo.hpp"
#include "tests/sim/tiling/random_network.hpp"

namespace spillway::mpi {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;
using split::Rank;
using tiling::Random;

struct Scaled {
  std::string_view name;
  std::int64_t size;  ///< height and width of the input; 0: as it is
};

constexpr Scaled tiny[] = {{"tiny-chain", 0}, {"tiny-depthwise", 0}, {"tiny-inception", 0}, {"tiny-residual", 0}};
constexpr Scaled large[] = {{"squeezenet", 48},  {"resnet18", 32}, {"mobilenet", 32}, {"googlenet", 64},
                            {"densenet121", 32}, {"alexnet", 67},  {"resnet50", 32},  {"squeezenet-1.0", 48}};

Network network_of(std::size_t number, Random& random) {
  if (number % 10 == 9) {
    const Scaled& which = number < small_cases ? large[0] : large[number / 10 % std::size(large)];
    return resized(*models::zoo(which.name), which.size, which.size);
  }
  if (number % 3 == 0) return *models::zoo(tiny[number / 3 % std::size(tiny)].name);
  return tiling::random_network(random);
}

std::vector<std::optional<Rank>> assign(const Network& network, std::size_t ranks, std::size_t kind, Random& random) {
  std::vector<NodeId> layers;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).op != Operator::input) layers.push_back(id);
  std::vector<std::optional<Rank>> result(network.nodes().size());
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const auto any = static_cast<Rank>(random.between(0, static_cast<std::int64_t>(ranks) - 1));
    result[layers[i]] = kind == 0 ? i * ranks / layers.size() : kind == 1 ? i % ranks : any;
  }
  if (kind < 2) return result;
  // Each rank has a layer, wherever chance would have none.
  for (Rank rank = 0; rank < ranks; ++rank)
    result[layers[(rank * layers.size()) / ranks]] = rank;
  return result;
}

Deployment figure2_on_cores() {
  Network network("figure2");
  const NodeId image = models::input(network, {3, 16, 16});
  const NodeId pooled = models::max_pool(network, "MaxPool1", image, models::square(2, 2));
  const NodeId fully_connected = models::convolution(network, "FC1", pooled, 4, models::square(8));
  const NodeId convolved = models::convolution(network, "Conv1", pooled, 4, models::square(3, 1, 1));
  const NodeId added = models::append(network, Operator::add, "Add1", {convolved, fully_connected});
  models::append(network, Operator::relu, "Relu1", {added});
  Deployment deployment{"figure2", network, models::SeededWeights(network, 2).all(), {}, {}, {}, {}};
  deployment.devices = {{"edge01", "arm", {0, 1, 2, 3, 4, 5}, std::nullopt},
                        {"edge02", "arm", {0, 1, 2, 3, 4, 5}, std::nullopt},
                        {"edge04", "arm", {0, 1, 2, 3}, std::nullopt}};
  deployment.resources = {{0, false, {1, 2, 3}}, {1, false, {0}}, {2, false, {0}}};
  split::Request request;
  request.keys = {"edge01_arm123", "edge02_arm0", "edge04_arm0"};
  request.tensors = {"image", "Buff1", "Buff2", "Buff3", "Buff4", "result"};
  request.rank_of_node = {std::nullopt, 0, 1, 2, 0, 2};
  deployment.split = split::split(network, std::move(request));
  deployment.schedule = split::make_schedule(network, deployment.split);
  return deployment;
}

}  // namespace

Network resized(const Network& network, std::int64_t height, std::int64_t width) {
  Network result(network.name());
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    Node node = network.node(id);
    if (node.op == Operator::input) {
      node.output.height = height;
      node.output.width = width;
    }
    const bool pools = node.op == Operator::average_pool || node.op == Operator::max_pool;
    if (pools) {
      const models::Shape before = network.input_shape(id), now = result.node(node.inputs.front()).output;
      if (node.window.kernel_height == before.height && node.window.kernel_width == before.width) {
        node.window.kernel_height = now.height;
        node.window.kernel_width = now.width;
      }
    }
    result.add(std::move(node));
  }
  return result;
}

bool is_large(std::size_t number) {
  return number % 15 == 14;
}

Deployment random_deployment(std::size_t number) {
  if (number == 1) return figure2_on_cores();
  Random random(static_cast<std::uint32_t>(1000 + number));
  Network network = network_of(number, random);
  if (is_large(number)) network = *models::zoo(tiny[number % std::size(tiny)].name);
  std::size_t layers = 0;
  for (const Node& node : network.nodes())
    layers += node.op != Operator::input;
  const std::int64_t most = is_large(number) ? 24 : 8, least = is_large(number) ? 9 : 2;
  const auto wanted = static_cast<std::size_t>(random.between(least, most));
  const std::size_t ranks = std::min(wanted, layers);

  Deployment deployment{fmt::format("case{}", number), network, {}, {}, {}, {}, {}};
  deployment.weights = models::SeededWeights(network, number + 1).all();
  split::Request request;
  request.rank_of_node = assign(network, ranks, number % 3, random);
  constexpr int cores = 4;
  for (std::size_t rank = 0; rank < ranks; ++rank) {
    // Two ranks a device, with one to three threads each.
    const std::size_t device = rank / 2;
    if (rank % 2 == 0)
      deployment.devices.push_back({fmt::format("edge_{}", device), "arm", {0, 1, 2, 3}, std::nullopt});
    const int first = rank % 2 == 0 ? 0 : cores - 1;
    platforms::Resource resource{device, false, {first}};
    for (std::int64_t more = rank % 2 == 0 ? random.between(0, 2) : 0; more > 0; --more)
      resource.cores.push_back(static_cast<int>(resource.cores.size()));
    request.keys.push_back(platforms::key_of(resource, deployment.devices));
    deployment.resources.push_back(std::move(resource));
  }
  deployment.split = split::split(network, std::move(request));
  deployment.schedule = split::make_schedule(network, deployment.split);
  return deployment;
}

std::vector<float> random_numbers(std::size_t count, std::uint64_t seed) {
  std::vector<float> numbers;
  for (std::size_t i = 0; i < count; ++i) {
    // splitmix64
    std::uint64_t z = seed += 0x9E3779B97F4A7C15ULL;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ULL;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBULL;
    z ^= z >> 31;
    numbers.push_back(static_cast<float>(z >> 40) / static_cast<float>(1 << 23) - 1.0F);
  }
  return numbers;
}

}  // namespace spillway::mpi
