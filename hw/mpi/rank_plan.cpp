#include "hw/mpi/rank_plan.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <variant>

#include "hw/kernels/memory_plan.hpp"
#include "hw/mpi/runtime/weight_file.hpp"

namespace spillway::mpi {
namespace {

using kernels::no_value;
using kernels::ValueId;
using models::NodeId;

constexpr std::size_t floats_in_line = weight_alignment / sizeof(float);

class Planner {
 public:
  Planner(const models::Network& network, const split::Split& split, split::Rank rank)
      : network_(network), split_(split), part_(split.ranks[rank]), rank_(rank) {}

  RankPlan run(const models::Weights& weights) {
    lower(weights);
    number_layers();
    plan_.places.resize(plan_.program.values.size());
    place_arrivals();
    place_sends();
    place_weights();
    place_arena();
    for (ValueId id = 0; id < plan_.places.size(); ++id)
      plan_.places[id] = plan_.places[plan_.program.storage_of(id)];
    return std::move(plan_);
  }

 private:
  void lower(const models::Weights& weights) {
    std::vector<std::string> outputs;
    for (const std::size_t buffer : part_.sends)
      if (network_.node(split_.buffers[buffer].node).op != models::Operator::input)
        outputs.push_back(network_.node(split_.buffers[buffer].node).name);
    for (const NodeId output : part_.outputs)
      outputs.push_back(network_.node(output).name);
    plan_.program = kernels::lower(split::sub_network(network_, split_, rank_), weights, outputs);
    kernels::fuse(plan_.program);

    std::map<std::string, ValueId> by_name;
    for (ValueId id = 0; id < plan_.program.values.size(); ++id)
      if (!plan_.program.values[id].is_constant) by_name.emplace(plan_.program.values[id].name, id);
    plan_.value_of_node.assign(network_.nodes().size(), no_value);
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const auto found = by_name.find(network_.node(id).name);
      if (found != by_name.end()) plan_.value_of_node[id] = found->second;
    }
  }

  void number_layers() {
    for (kernels::Step& step : plan_.program.steps) {
      NodeId last = *network_.find(step.name);
      const auto number = static_cast<kernels::LayerId>(last);
      std::visit([number](auto& layer) { layer.layer = number; }, step.layer);
      for (const std::string& fused : step.fused)
        last = std::max(last, *network_.find(fused));
      plan_.call_at.push_back(last);
    }
    // In the order in which they run: a call stands where the last of its nodes does.
    std::vector<std::size_t> order(plan_.call_at.size());
    for (std::size_t i = 0; i < order.size(); ++i)
      order[i] = i;
    std::ranges::sort(order, {}, [this](std::size_t i) { return plan_.call_at[i]; });
    std::vector<kernels::Step> steps;
    std::vector<NodeId> call_at;
    for (const std::size_t i : order) {
      steps.push_back(std::move(plan_.program.steps[i]));
      call_at.push_back(plan_.call_at[i]);
    }
    plan_.program.steps = std::move(steps);
    plan_.call_at = std::move(call_at);
  }

  Place& place_of(NodeId node) { return plan_.places[plan_.program.storage_of(plan_.value_of_node[node])]; }

  void place_arrivals() {
    for (const std::size_t buffer : part_.receives)
      place_of(split_.buffers[buffer].node) = {Place::Kind::inbox, buffer};
    for (const NodeId input : part_.inputs)
      place_of(input) = {Place::Kind::input, input};
  }

  /// The first of several buffers that share memory is written in place; the others are copied when they are sent.
  void place_sends() {
    for (const std::size_t buffer : part_.sends) {
      Place& place = place_of(split_.buffers[buffer].node);
      if (place.kind == Place::Kind::none) place = {Place::Kind::outbox, buffer};
    }
  }

  void place_weights() {
    for (const kernels::Step& step : plan_.program.steps)
      for (const ValueId operand : step.inputs) {
        if (operand == no_value || !plan_.program.values[operand].is_constant) continue;
        Place& place = plan_.places[operand];
        if (place.kind != Place::Kind::none) continue;
        place = {Place::Kind::weights, plan_.weight_floats};
        const std::size_t floats = static_cast<std::size_t>(plan_.program.values[operand].elements());
        plan_.weight_floats += (floats + floats_in_line - 1) / floats_in_line * floats_in_line;
        plan_.constants.push_back(operand);
      }
  }

  void place_arena() {
    const kernels::Program& program = plan_.program;
    const int end = static_cast<int>(program.steps.size());
    std::vector<int> last_use(program.values.size(), -1);
    for (int position = 0; position < end; ++position)
      for (const ValueId operand : program.steps[static_cast<std::size_t>(position)].inputs)
        if (operand != no_value) last_use[program.storage_of(operand)] = position;
    for (const ValueId output : program.outputs)
      last_use[program.storage_of(output)] = end;

    std::vector<kernels::BufferUse> uses;
    std::vector<ValueId> values;
    for (int position = 0; position < end; ++position) {
      const ValueId value = program.storage_of(program.steps[static_cast<std::size_t>(position)].output);
      if (plan_.places[value].kind != Place::Kind::none) continue;
      const auto bytes = static_cast<std::size_t>(program.values[value].elements()) * sizeof(float);
      uses.push_back({bytes, position, std::max(position, last_use[value])});
      values.push_back(value);
    }
    const kernels::MemoryPlan memory = kernels::plan_memory(uses);
    for (std::size_t i = 0; i < values.size(); ++i)
      plan_.places[values[i]] = {Place::Kind::arena, memory.offsets[i] / sizeof(float)};
    plan_.arena_floats = memory.bytes / sizeof(float);
  }

  const models::Network& network_;
  const split::Split& split_;
  const split::SubModel& part_;
  split::Rank rank_;
  RankPlan plan_;
};

}  // namespace

RankPlan plan_rank(const models::Network& network, const split::Split& split, split::Rank rank,
                   const models::Weights& weights) {
  return Planner(network, split, rank).run(weights);
}

}  // namespace spillway::mpi
