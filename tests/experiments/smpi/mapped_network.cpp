#include "mapped_network.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>

#include "hw/mpi/program_text.hpp"
#include "models/split/schedule.hpp"
#include "models/zoo.hpp"

namespace spillway::smpi {
namespace {

using models::NodeId;
using platforms::Resource;
using split::Rank;

std::size_t below(std::size_t end, std::mt19937& random) {
  return random() % end;
}

/// Resources that share nothing. So few boards come into question that some ranks are on the same one.
std::vector<Resource> random_resources(const platforms::Cluster& cluster, std::size_t count, std::mt19937& random) {
  const std::size_t boards = std::min(cluster.devices.size(), std::max<std::size_t>(2, count / 2 + 1));
  std::vector<std::size_t> taken(boards, 0);
  std::vector<bool> gpu_taken(boards, false);
  std::vector<Resource> resources;
  while (resources.size() < count) {
    const std::size_t board = below(boards, random);
    const std::vector<int>& cores = cluster.devices[board].cores;
    if (resources.empty() || below(4, random) == 0) {
      if (!gpu_taken[board]) resources.push_back({board, true, {}});
      gpu_taken[board] = true;
      continue;
    }
    const std::size_t wanted = 1 + below(3, random);
    if (taken[board] + wanted > cores.size()) continue;
    const auto begin = cores.begin() + static_cast<std::ptrdiff_t>(taken[board]);
    resources.push_back({board, false, {begin, begin + static_cast<std::ptrdiff_t>(wanted)}});
    taken[board] += wanted;
  }
  std::ranges::shuffle(resources, random);
  return resources;
}

/// Each rank has a layer at least.
std::vector<std::optional<Rank>> random_ranks(const models::Network& network, std::size_t count, Shape shape,
                                              std::mt19937& random) {
  std::vector<NodeId> layers;
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    if (network.node(id).op != models::Operator::input) layers.push_back(id);
  std::vector<Rank> rank_of_layer(layers.size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    rank_of_layer[i] = i < count ? i : below(count, random);
  if (shape == Shape::contiguous)
    std::ranges::sort(rank_of_layer);
  else
    std::ranges::shuffle(rank_of_layer, random);
  std::vector<std::optional<Rank>> ranks(network.nodes().size());
  for (std::size_t i = 0; i < layers.size(); ++i)
    ranks[layers[i]] = rank_of_layer[i];
  return ranks;
}

mpi::Deployment deploy(const std::string& name, const platforms::Cluster& cluster, std::size_t ranks, Shape shape,
                       std::mt19937& random) {
  models::Network network = *models::zoo(name);
  std::vector<Resource> resources = random_resources(cluster, ranks, random);
  split::Request wanted;
  for (const Resource& resource : resources)
    wanted.keys.push_back(platforms::key_of(resource, cluster.devices));
  wanted.rank_of_node = random_ranks(network, ranks, shape, random);
  split::Split split = split::split(network, std::move(wanted));
  split::Schedule schedule = split::make_schedule(network, split);
  return {name, std::move(network), {}, std::move(split), std::move(schedule), cluster.devices, std::move(resources)};
}

}  // namespace

MappedNetwork::MappedNetwork(const std::string& network, const pipeline::ClusterModel& cluster, std::size_t ranks,
                             Shape shape, std::mt19937& random)
    : cluster_(cluster),
      shape_(shape),
      efficiencies_(platforms::load_efficiencies()),
      deployment_(deploy(network, cluster.cluster(), ranks, shape, random)),
      times_(deployment_.network, cluster_, efficiencies_) {
  for (const Resource& resource : deployment_.resources)
    placements_.push_back(times_.place(resource));
}

std::string MappedNetwork::text() const {
  std::string text = deployment_.model + (shape_ == Shape::contiguous ? " contiguous" : " scattered");
  for (const split::SubModel& rank : deployment_.split.ranks)
    text += " " + rank.key;
  return text;
}

pipeline::Program MappedNetwork::simulated(pipeline::Communication communication) const {
  std::vector<Rank> ranks(deployment_.network.nodes().size(), pipeline::no_rank);
  for (Rank rank = 0; rank < placements_.size(); ++rank)
    for (const NodeId layer : deployment_.split.ranks[rank].layers)
      ranks[layer] = rank;
  const pipeline::Workload workload(deployment_.network);
  return pipeline::ProgramMaker(workload, cluster_.machine()).make(ranks, placements_, {communication, true});
}

void MappedNetwork::write_program(const std::filesystem::path& path) const {
  std::vector<mpi::RankPlan> plans;
  for (Rank rank = 0; rank < deployment_.split.ranks.size(); ++rank)
    plans.push_back(mpi::plan_rank(deployment_.network, deployment_.split, rank, {}));
  std::ofstream(path) << mpi::program_text(deployment_, plans, 1);
}

}  // namespace spillway::smpi
