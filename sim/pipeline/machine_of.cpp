#include "sim/pipeline/machine_of.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "platforms/problems.hpp"
#include "sim/cost/layer_cost.hpp"

namespace spillway::pipeline {
namespace {

using platforms::Computer;
using platforms::Figure;

LinkModel link_of(const Figure& bandwidth, const Figure& latency) {
  return {bandwidth.value, latency.value};
}

DeviceModel device_of(const std::string& name, const Computer& computer, const platforms::MessageCosts& messages) {
  DeviceModel device;
  device.name = name;
  device.cores = static_cast<std::size_t>(computer.cores);
  device.has_gpu = computer.gpu.has_value();
  device.memory_bytes = computer.memory.value;
  device.process_bytes = computer.runtime_memory.value;
  device.idle_w = computer.idle_power.value;
  device.core_w = computer.core_power.value;
  device.spin_w = computer.spin_power.value;
  device.network_w = computer.network_power.value;
  device.memory_link = link_of(messages.local_bandwidth, messages.local_latency);
  device.gpu_link = device.memory_link;
  if (computer.gpu) {
    device.gpu_process_bytes = computer.gpu->runtime_memory.value;
    device.gpu_w = computer.gpu->gpu_power.value;
    device.gpu_link = link_of(computer.gpu->link_bandwidth, computer.gpu->link_latency);
  }
  return device;
}

/// Everything that the cluster's file lacks for a simulation.
void check(const platforms::Cluster& cluster) {
  std::vector<platforms::Problem> problems;
  const auto lacks = [&](const std::string& key, const std::string& message) {
    problems.push_back({cluster.name, 0, 0, key, message});
  };
  if (cluster.devices.empty())
    lacks("devices",
          "the cluster has none that run an operating system; expected a list of devices with their names "
          "and boards");
  for (const platforms::Device& device : cluster.devices)
    if (device.board.empty())
      lacks("devices", fmt::format("the device \"{}\" names no board; expected `board: NAME` of a computer (spillway "
                                   "list boards) in place of architecture and cores",
                                   device.name));
  if (!cluster.messages) lacks("messages", "is missing; expected what an MPI message costs (platforms/DEVICES.md)");
  if (!problems.empty()) throw platforms::InputError(std::move(problems));
}

std::uint64_t to_ns(double seconds) {
  return static_cast<std::uint64_t>(std::llround(seconds * 1e9));
}

}  // namespace

ClusterModel::ClusterModel(platforms::Cluster cluster) : cluster_(std::move(cluster)) {
  check(cluster_);
  const platforms::MessageCosts& messages = *cluster_.messages;
  std::vector<std::string> boards;
  for (const platforms::Device& device : cluster_.devices) {
    const auto known = std::ranges::find(boards, device.board);
    board_of_.push_back(static_cast<std::size_t>(known - boards.begin()));
    if (known == boards.end()) {
      boards.push_back(device.board);
      computers_.push_back(platforms::load_computer(device.board));
    }
    machine_.devices.push_back(device_of(device.name, computers_[board_of_.back()], messages));
  }
  machine_.name = cluster_.name;
  machine_.network = link_of(cluster_.link_bandwidth, cluster_.link_latency);
  machine_.burst_bytes = cluster_.link_burst.value;
  machine_.eager_bytes = static_cast<std::uint64_t>(messages.eager_limit.value);
  machine_.rendezvous_latencies = messages.rendezvous_latencies.value;
  machine_.message_s = messages.overhead.value;
  machine_.send_byte_s = 1 / messages.send_bandwidth.value;
  machine_.receive_byte_s = 1 / messages.receive_bandwidth.value;
}

Placement LayerTimeTables::place(std::size_t device, bool gpu, std::size_t threads) {
  const auto [entry, added] = tables_.try_emplace(Key{cluster_.board_of(device), gpu, threads});
  LayerTimes& times = entry->second;
  if (added) {
    const cost::Rates rates =
        cost::rates_of(cluster_.computer(device), efficiencies_, {gpu, static_cast<int>(threads)});
    for (models::NodeId id = 0; id < network_.nodes().size(); ++id) {
      const std::uint64_t alone = to_ns(cost::seconds_of(cost::work_of(network_, id), rates));
      const bool fuses = cost::can_fuse(network_, id);
      times.alone.push_back(alone);
      times.behind.push_back(fuses ? 0 : alone);
      times.leader.push_back(fuses ? network_.node(id).inputs.front() : id);
    }
    if (!gpu) take_measured(times, threads);
  }
  return {device, gpu, threads, &times};
}

void LayerTimeTables::take_measured(LayerTimes& times, std::size_t threads) const {
  for (const cost::LayerTime& time : measured_) {
    if (time.network != network_.name() || static_cast<std::size_t>(time.threads) != threads) continue;
    const models::NodeId call = *network_.find(time.layer);
    times.alone[call] = times.behind[call] = to_ns(time.seconds);
    times.leader[call] = call;
    for (const std::string& fused : time.fused) {
      const models::NodeId id = *network_.find(fused);
      times.behind[id] = 0;
      times.leader[id] = call;
    }
  }
}

}  // namespace spillway::pipeline
