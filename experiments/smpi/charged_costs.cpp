#include "experiments/smpi/charged_costs.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "hw/mpi/rank_plan.hpp"

namespace spillway::smpi {
namespace {

using models::NodeId;
using split::Rank;
using LayerCosts = std::map<NodeId, std::uint64_t>;

LayerCosts costs_of(const pipeline::RankProgram& rank) {
  LayerCosts costs;
  for (const pipeline::Operation& operation : rank.operations)
    if (operation.kind == pipeline::Operation::Kind::compute) costs[operation.node] += operation.duration_ns;
  return costs;
}

/// The layers that a call stands for, besides those that no call stands for.
std::vector<NodeId> layers_of(const kernels::Step& call, const models::Network& network) {
  std::vector<NodeId> layers = {*network.find(call.name)};
  for (const std::string& fused : call.fused)
    layers.push_back(*network.find(fused));
  return layers;
}

/// The call that runs next when such a layer's turn comes; the last one behind them all.
std::size_t call_behind(NodeId layer, const mpi::RankPlan& plan) {
  if (plan.call_at.empty()) throw std::logic_error("a rank without calls has layers that cost time");
  const auto place = std::ranges::lower_bound(plan.call_at, layer);
  return static_cast<std::size_t>(std::min(place, plan.call_at.end() - 1) - plan.call_at.begin());
}

}  // namespace

mpi::CostTable charged_costs(const mpi::Deployment& deployment, const pipeline::Program& program,
                             const pipeline::Machine& machine) {
  mpi::CostTable table{machine.message_s * 1e9, machine.send_byte_s * 1e9, machine.receive_byte_s * 1e9, {}};
  for (Rank rank = 0; rank < program.ranks.size(); ++rank) {
    LayerCosts left = costs_of(program.ranks[rank]);
    const auto cost_of = [&](NodeId layer) -> std::uint64_t& {
      return table.layer_ns[{static_cast<int>(rank), static_cast<std::int32_t>(layer)}];
    };
    // A copy of a result for others has its layer's number, also where that one is no call.
    for (const NodeId layer : deployment.split.ranks[rank].layers)
      cost_of(layer) = 0;
    const mpi::RankPlan plan = mpi::plan_rank(deployment.network, deployment.split, rank, {});
    const auto number_of = [&](std::size_t call) {
      return static_cast<NodeId>(kernels::layer_id(plan.program.steps[call].layer));
    };
    for (std::size_t call = 0; call < plan.program.steps.size(); ++call)
      for (const NodeId layer : layers_of(plan.program.steps[call], deployment.network)) {
        const auto found = left.find(layer);
        if (found == left.end()) continue;
        cost_of(number_of(call)) += found->second;
        left.erase(found);
      }
    for (const auto& [layer, cost_ns] : left)
      cost_of(number_of(call_behind(layer, plan))) += cost_ns;
  }
  return table;
}

}  // namespace spillway::smpi
