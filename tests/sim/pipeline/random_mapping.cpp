#include "random_mapping.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

namespace spillway::pipeline {
namespace {

using models::NodeId;
using models::Operator;

std::size_t below(std::size_t bound, std::mt19937& random) {
  return std::uniform_int_distribution<std::size_t>(0, bound - 1)(random);
}

LayerTimes times_at(const models::Network& network, double macs_per_s, double bytes_per_s, double call_s) {
  LayerTimes times;
  for (NodeId id = 0; id < network.nodes().size(); ++id) {
    const models::Node& node = network.node(id);
    const double bytes = static_cast<double>(network.feature_map_bytes(id, models::ElementType::float32));
    const double seconds = call_s + static_cast<double>(network.macs(id)) / macs_per_s + bytes / bytes_per_s;
    const auto ns = static_cast<std::uint64_t>(std::llround(seconds * 1e9));
    const bool behind = node.op == Operator::relu && network.node(node.inputs.front()).op == Operator::convolution;
    times.alone.push_back(ns);
    times.behind.push_back(behind ? 0 : ns);
    times.leader.push_back(behind ? node.inputs.front() : id);
  }
  return times;
}

/// A rank of each layer: runs of layers, or any. Every rank has a layer.
std::vector<Rank> ranks_of(std::size_t layers, std::size_t ranks, Shape shape, std::mt19937& random) {
  std::vector<std::size_t> cuts(layers - 1);
  std::iota(cuts.begin(), cuts.end(), 1);
  std::ranges::shuffle(cuts, random);
  cuts.resize(ranks - 1);
  std::ranges::sort(cuts);
  std::vector<Rank> result;
  for (std::size_t layer = 0; layer < layers; ++layer)
    result.push_back(static_cast<Rank>(std::ranges::upper_bound(cuts, layer) - cuts.begin()));
  if (shape == Shape::scattered) std::ranges::shuffle(result, random);
  return result;
}

}  // namespace

models::Node input_node(const std::string& name, models::Shape shape) {
  models::Node node;
  node.name = name;
  node.output = shape;
  return node;
}

models::Node relu_node(const std::string& name, models::NodeId input) {
  models::Node node;
  node.name = name;
  node.op = Operator::relu;
  node.inputs = {input};
  return node;
}

Machine test_machine(std::size_t devices) {
  Machine machine;
  machine.name = "test";
  for (std::size_t i = 0; i < devices; ++i) {
    DeviceModel device;
    device.name = "edge" + std::to_string(i);
    device.cores = 6;
    device.has_gpu = true;
    device.memory_bytes = 8e9;
    device.process_bytes = 50e6;
    device.gpu_process_bytes = 400e6;
    device.idle_w = 3.5;
    device.core_w = 1.2;
    device.spin_w = 0.8;
    device.gpu_w = 6;
    device.network_w = 0.5;
    device.memory_link = {10e9, 2e-6};
    device.gpu_link = {12e9, 20e-6};
    machine.devices.push_back(device);
  }
  machine.network = {117e6, 150e-6};
  machine.eager_bytes = 65536;
  machine.rendezvous_latencies = 3;
  machine.message_s = 20e-6;
  machine.send_byte_s = 0.2e-9;
  machine.receive_byte_s = 0.3e-9;
  return machine;
}

TestTimes::TestTimes(const models::Network& network)
    : one_core(times_at(network, 8e9, 4e9, 5e-6)),
      six_cores(times_at(network, 40e9, 15e9, 15e-6)),
      gpu(times_at(network, 150e9, 30e9, 60e-6)) {}

RandomMapping random_mapping(const models::Network& network, const Machine& machine, const TestTimes& times,
                             Shape shape, std::mt19937& random) {
  RandomMapping mapping;
  const std::size_t wanted = 1 + below(24, random);
  std::vector<std::size_t> used(machine.devices.size(), 0);
  std::vector<bool> gpu_used(machine.devices.size(), false);
  while (mapping.placements.size() < wanted) {
    const std::size_t device = below(machine.devices.size(), random);
    const std::size_t kind = below(3, random);
    if (kind == 0 && !gpu_used[device] && used[device] < 6) {
      mapping.placements.push_back({device, true, 1, &times.gpu});
      gpu_used[device] = true;
    } else if (kind == 1 && used[device] == 0 && below(3, random) == 0) {
      mapping.placements.push_back({device, false, 6, &times.six_cores});
      used[device] = 6;
    } else if (used[device] < 6) {
      mapping.placements.push_back({device, false, 1, &times.one_core});
      ++used[device];
    } else if (std::ranges::all_of(used, [](std::size_t cores) { return cores == 6; })) {
      break;
    }
  }
  std::vector<NodeId> layers;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).op != Operator::input) layers.push_back(id);
  if (mapping.placements.size() > layers.size()) mapping.placements.resize(layers.size());
  const std::vector<Rank> ranks = ranks_of(layers.size(), mapping.placements.size(), shape, random);
  mapping.rank_of_node.assign(network.nodes().size(), no_rank);
  for (std::size_t i = 0; i < layers.size(); ++i)
    mapping.rank_of_node[layers[i]] = ranks[i];
  return mapping;
}

}  // namespace spillway::pipeline
