#include "experiments/explore/chain.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "sim/pipeline/memory.hpp"
#include "sim/pipeline/paths.hpp"

namespace spillway::explore {
namespace {

using models::NodeId;
using pipeline::Operation;
using pipeline::Placement;
using pipeline::Rank;

constexpr double endless = std::numeric_limits<double>::infinity();

/// Positions behind which exactly one tensor is still needed.
std::vector<std::size_t> single_tensor_cuts(const pipeline::Workload& workload, const std::vector<NodeId>& layers) {
  std::vector<std::size_t> cuts;
  std::vector<NodeId> open;
  for (NodeId id = 0; id < workload.size(); ++id)
    if (workload.node(id).input) open.push_back(id);
  for (std::size_t position = 1; position < layers.size(); ++position) {
    const NodeId layer = layers[position - 1];
    open.push_back(layer);
    std::erase_if(open,
                  [&](NodeId id) { return workload.readers(id).empty() || workload.readers(id).back() <= layer; });
    if (open.size() == 1 && !workload.node(open.front()).input) cuts.push_back(position);
  }
  return cuts;
}

/// The segment between two others, each on a device of its own.
class StageMaker {
 public:
  StageMaker(const pipeline::Workload& workload, const pipeline::Machine& machine, const std::vector<NodeId>& layers,
             const Placement& placement, const pipeline::Options& options)
      : workload_(workload),
        machine_(machine),
        layers_(layers),
        placement_(placement),
        options_(options),
        maker_(workload, machine),
        links_(machine) {}

  Chain::Stage operator()(std::size_t begin, std::size_t end) {
    std::vector<Rank> ranks(workload_.size(), pipeline::no_rank);
    std::vector<Placement> placements;
    const auto add = [&](std::size_t from, std::size_t to) {
      if (from == to) return;
      for (std::size_t position = from; position < to; ++position)
        ranks[layers_[position]] = placements.size();
      placements.push_back(placement_);
      placements.back().device = placements.size() - 1;
    };
    add(0, begin);
    const Rank here = placements.size();
    add(begin, end);
    add(end, layers_.size());
    const pipeline::Program& program = maker_.make(ranks, placements, {options_.communication, false});
    return stage_of(program, here);
  }

 private:
  Chain::Stage stage_of(const pipeline::Program& program, Rank here) {
    const pipeline::DeviceModel& device = machine_.devices.front();
    Chain::Stage stage;
    double compute_s = 0, call_s = 0;
    for (const Operation& operation : program.ranks[here].operations) {
      const double seconds = static_cast<double>(operation.duration_ns) * 1e-9;
      (operation.kind == Operation::Kind::compute ? compute_s : call_s) += seconds;
    }
    double bytes = 0;
    stage.time_s = stage.latency_s = compute_s + call_s;
    for (const pipeline::Message& message : program.messages) {
      if (message.source != here && message.destination != here) continue;
      bytes += static_cast<double>(message.bytes);
      if (message.source != here) continue;
      const double sending_s = static_cast<double>(message.bytes) / slowest_link(program, message);
      stage.time_s = std::max(stage.time_s, sending_s);
      const pipeline::Path path = path_of(program, message);
      stage.latency_s +=
          sending_s + static_cast<double>(pipeline::latency_ns(path, message.bytes, links_, machine_)) * 1e-9;
    }
    const double core_s = call_s + (placement_.gpu ? 0 : compute_s * static_cast<double>(placement_.threads));
    stage.energy_j = device.core_w * core_s + (placement_.gpu ? device.gpu_w * compute_s : 0) +
                     device.network_w * bytes / machine_.network.bytes_per_s;
    stage.memory_bytes = static_cast<double>(memory_of(program, maker_.owners(), workload_, machine_)[here].total());
    return stage;
  }

  pipeline::Path path_of(const pipeline::Program& program, const pipeline::Message& message) const {
    return pipeline::path_between(program.ranks[message.source].placement, program.ranks[message.destination].placement,
                                  links_);
  }

  double slowest_link(const pipeline::Program& program, const pipeline::Message& message) const {
    double slowest = endless;
    const pipeline::Path path = path_of(program, message);
    for (const std::uint32_t link : path.span())
      slowest = std::min(slowest, links_[link].bytes_per_s);
    return slowest;
  }

  const pipeline::Workload& workload_;
  const pipeline::Machine& machine_;
  const std::vector<NodeId>& layers_;
  Placement placement_;
  const pipeline::Options& options_;
  pipeline::ProgramMaker maker_;
  pipeline::Links links_;
};

bool keeps(const Chain::Stage& stage, double time_s, double energy_j, double memory_bytes) {
  return stage.time_s <= time_s && stage.energy_j <= energy_j && stage.memory_bytes <= memory_bytes;
}

}  // namespace

Chain::Chain(const models::Network& network, const pipeline::ClusterModel& cluster,
             const platforms::Efficiencies& efficiencies, Kind kind, const pipeline::Options& options) {
  const pipeline::Workload workload(network);
  std::vector<NodeId> layers;
  for (NodeId id = 0; id < workload.size(); ++id)
    if (!workload.node(id).input) layers.push_back(id);
  cuts_ = single_tensor_cuts(workload, layers);
  places_ = cuts_;
  places_.insert(places_.begin(), 0);
  places_.push_back(layers.size());

  pipeline::Machine machine = cluster.machine();
  idle_w_ = machine.devices.front().idle_w;
  // A segment and its neighbours need three devices, whatever the cluster has.
  machine.devices.assign(3, machine.devices.front());
  pipeline::LayerTimeTables times(network, cluster, efficiencies);
  const std::size_t threads = kind == Kind::all_cores ? machine.devices.front().cores : 1;
  StageMaker make(workload, machine, layers, times.place(0, kind == Kind::gpu, threads), options);
  stages_.resize(places() * places());
  for (std::size_t begin = 0; begin < places(); ++begin)
    for (std::size_t end = begin + 1; end < places(); ++end)
      stages_[begin * places() + end] = make(places_[begin], places_[end]);
}

Worth Chain::worth_of(const Stage& worst, double latency_s) const {
  return {1 / worst.time_s, idle_w_ * worst.time_s + worst.energy_j, worst.memory_bytes, latency_s};
}

Worth Chain::worth(const Mapping& mapping) const {
  Stage worst;
  double latency_s = 0;
  for (const Segment& segment : mapping) {
    const auto place = [&](std::size_t position) {
      return static_cast<std::size_t>(std::ranges::lower_bound(places_, position) - places_.begin());
    };
    const Stage& here = stage(place(segment.begin), place(segment.end));
    worst.time_s = std::max(worst.time_s, here.time_s);
    worst.energy_j = std::max(worst.energy_j, here.energy_j);
    worst.memory_bytes = std::max(worst.memory_bytes, here.memory_bytes);
    latency_s += here.latency_s;
  }
  return worth_of(worst, latency_s);
}

double Chain::least(double Stage::*value, const Bounds& bounds, std::size_t devices, Count count) const {
  // reached[end]: with as many segments as rounds are done, the least largest value of those up to this place.
  std::vector<double> reached(places(), endless);
  reached[0] = 0;
  double best = endless;
  for (std::size_t round = 0; round < devices; ++round) {
    std::vector<double> next(places(), endless);
    for (std::size_t begin = 0; begin < places(); ++begin) {
      if (reached[begin] == endless) continue;
      for (std::size_t end = begin + 1; end < places(); ++end) {
        const Stage& here = stage(begin, end);
        if (keeps(here, bounds.time_s, bounds.energy_j, bounds.memory_bytes))
          next[end] = std::min(next[end], std::max(reached[begin], here.*value));
      }
    }
    reached = std::move(next);
    if (count == Count::at_most || round + 1 == devices) best = std::min(best, reached.back());
  }
  return best;
}

std::vector<Worth> Chain::exact_front(std::size_t devices) const {
  std::vector<double> memories;
  for (std::size_t begin = 0; begin < places(); ++begin)
    for (std::size_t end = begin + 1; end < places(); ++end)
      memories.push_back(stage(begin, end).memory_bytes);
  std::ranges::sort(memories, std::ranges::greater{});
  memories.erase(std::unique(memories.begin(), memories.end()), memories.end());

  std::vector<Worth> front;
  for (const double memory : memories) {
    double energy = endless;
    for (;;) {
      const double time = least(&Stage::time_s, {endless, energy, memory}, devices, Count::at_most);
      if (time == endless) break;
      const double within = least(&Stage::energy_j, {time, energy, memory}, devices, Count::at_most);
      const double smallest = least(&Stage::memory_bytes, {time, within, memory}, devices, Count::at_most);
      // Found again under the memory that it needs.
      if (smallest == memory) front.push_back(worth_of({time, within, smallest, 0}, 0));
      energy = std::nextafter(within, 0.0);
    }
  }
  return front;
}

std::optional<Worth> Chain::best_throughput(std::size_t devices) const {
  const double time = least(&Stage::time_s, {endless, endless, endless}, devices, Count::exactly);
  if (time == endless) return std::nullopt;
  const double energy = least(&Stage::energy_j, {time, endless, endless}, devices, Count::exactly);
  const double memory = least(&Stage::memory_bytes, {time, energy, endless}, devices, Count::exactly);
  return worth_of({time, energy, memory, 0}, 0);
}

}  // namespace spillway::explore
