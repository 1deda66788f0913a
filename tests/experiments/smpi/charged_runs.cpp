#include "charged_runs.hpp"

#include <algorithm>
#include <fstream>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/smpi/charged_costs.hpp"
#include "hw/mpi/program_text.hpp"
#include "models/split/schedule.hpp"
#include "models/zoo.hpp"
#include "sim/pipeline/drivers.hpp"

namespace spillway::smpi {
namespace {

namespace fs = std::filesystem;
using models::NodeId;
using platforms::Resource;
using split::Rank;

std::size_t below(std::size_t end, std::mt19937& random) {
  return random() % end;
}

/// Resources that share nothing. Half of the boards come into question, so that some ranks are on one board.
std::vector<Resource> random_resources(const platforms::Cluster& cluster, std::size_t count, std::mt19937& random) {
  const std::size_t boards = std::min(cluster.devices.size(), std::max<std::size_t>(2, count / 2 + 1));
  std::vector<int> next_core(boards, 0);
  std::vector<bool> gpu_taken(boards, false);
  std::vector<Resource> resources;
  while (resources.size() < count) {
    const std::size_t board = below(boards, random);
    const int cores = static_cast<int>(cluster.devices[board].cores.size());
    const bool gpu = resources.empty() && count > 1 ? true : below(4, random) == 0;
    if (gpu) {
      if (!gpu_taken[board]) resources.push_back({board, true, {}});
      gpu_taken[board] = true;
      continue;
    }
    const int wanted = 1 + static_cast<int>(below(3, random));
    if (next_core[board] + wanted > cores) continue;
    Resource resource{board, false, {}};
    for (int core = 0; core < wanted; ++core)
      resource.cores.push_back(cluster.devices[board].cores[static_cast<std::size_t>(next_core[board]++)]);
    resources.push_back(std::move(resource));
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
  return {name,           std::move(network), {}, std::move(split), std::move(schedule), cluster.devices,
          std::move(resources)};
}

void write_program(const mpi::Deployment& deployment, const fs::path& path) {
  std::vector<mpi::RankPlan> plans;
  for (Rank rank = 0; rank < deployment.split.ranks.size(); ++rank)
    plans.push_back(mpi::plan_rank(deployment.network, deployment.split, rank, {}));
  std::ofstream(path) << mpi::program_text(deployment, plans, 1);
}

}  // namespace

ChargedRuns::ChargedRuns(const fs::path& folder, const std::string& cluster)
    : folder_(folder),
      library_(folder),
      cluster_(platforms::load_cluster(cluster)),
      efficiencies_(platforms::load_efficiencies()) {}

ChargedRun ChargedRuns::operator()(const std::string& name, std::size_t count, Shape shape,
                                   const ChargedOptions& options, std::mt19937& random) {
  const mpi::Deployment deployment = deploy(name, cluster_.cluster(), count, shape, random);
  pipeline::LayerTimeTables times(deployment.network, cluster_, efficiencies_);
  std::vector<pipeline::Placement> placements;
  for (const Resource& resource : deployment.resources)
    placements.push_back(times.place(resource));
  std::vector<Rank> ranks(deployment.network.nodes().size(), pipeline::no_rank);
  for (Rank rank = 0; rank < placements.size(); ++rank)
    for (const NodeId layer : deployment.split.ranks[rank].layers)
      ranks[layer] = rank;

  const pipeline::Workload workload(deployment.network);
  pipeline::ProgramMaker maker(workload, cluster_.machine());
  const pipeline::Program& program = maker.make(ranks, placements, {options.communication, true});
  ChargedRun run;
  run.mapping = name + (shape == Shape::contiguous ? " contiguous" : " scattered");
  for (const split::SubModel& rank : deployment.split.ranks)
    run.mapping += " " + rank.key;
  run.mapping += options.communication == pipeline::Communication::paper ? ", paper" : ", overlap";
  run.simulated = run_simgrid(program, cluster_.machine(), options.warm_up + options.frames, nullptr);

  write_program(deployment, folder_ / "main.cpp");
  library_.compile(folder_ / "main.cpp", folder_ / "program");
  run.charged = run_charged(folder_ / "program", charged_costs(deployment, program, cluster_.machine()), placements,
                            cluster_.machine(), options, folder_);
  return run;
}

}  // namespace spillway::smpi
