#include "ledger.hpp"

#include <algorithm>

namespace spillway::oracle {

using core::BufferIndex;
using core::Pool;
using core::TaskKind;

Ledger::Ledger(const core::Plan& plan) : plan_(plan) {
  if (plan.pools.shared) {
    held_[0].assign(plan.pools.total(), 0);
  } else {
    held_[0].assign(plan.pools.input, 0);
    held_[1].assign(plan.pools.weights, 0);
    held_[2].assign(plan.pools.output, 0);
  }
}

std::string Ledger::take(Pool pool, BufferIndex buffer, Holder holder) {
  if (buffer >= slots(pool).size()) return "a buffer that the pool does not have";
  if (slots(pool)[buffer] != 0) return "buffer " + std::to_string(buffer) + " granted twice";
  slots(pool)[buffer] = holder;
  return {};
}

std::string Ledger::holds(Pool pool, BufferIndex buffer, Holder holder) {
  if (buffer >= slots(pool).size()) return "a buffer that the pool does not have";
  if (slots(pool)[buffer] != holder) return "buffer " + std::to_string(buffer) + " is not the tile's own";
  return {};
}

std::string Ledger::inputs(const core::Scheduler& scheduler, BufferIndex first, Holder holder, std::uint16_t buffers,
                           bool may_take) {
  const auto own = static_cast<std::uint16_t>(std::ranges::count(slots(Pool::input), holder));
  if (own == 0 && !may_take) return "a compute task without input buffers";
  std::uint16_t length = 0;
  for (BufferIndex buffer = first; buffer != core::no_buffer; buffer = scheduler.next_buffer(buffer)) {
    if (++length > buffers) return "the chain of input buffers is too long";
    const std::string fault = own == 0 ? take(Pool::input, buffer, holder) : holds(Pool::input, buffer, holder);
    if (!fault.empty()) return "input " + fault;
  }
  return length == buffers ? std::string{} : "the chain of input buffers is too short";
}

std::string Ledger::selected(const Graph& graph, const core::Scheduler& scheduler, const core::Task& task) {
  const std::size_t node = graph.find(task).value();
  const std::size_t tile = graph.nodes[node].tile;
  const core::Layer& layer = plan_.layers[task.layer];
  const core::Grant grant = scheduler.grant(task);
  const Holder input = holder(Pool::input, tile);
  const Holder output = holder(Pool::output, tile);
  std::string fault;
  switch (task.kind) {
    case TaskKind::read_input:
      return inputs(scheduler, grant.input, input, layer.input_buffers, true);
    case TaskKind::read_weights:
      return take(Pool::weights, grant.weights, holder(Pool::weights, node));
    case TaskKind::compute:
      fault = inputs(scheduler, grant.input, input, layer.input_buffers, false);
      if (fault.empty() && layer.filter_bytes != 0) {
        core::Task read = task;
        read.kind = TaskKind::read_weights;
        fault = holds(Pool::weights, grant.weights, holder(Pool::weights, graph.find(read).value()));
      }
      if (fault.empty()) {
        fault = task.index == 0 ? take(Pool::output, grant.output, output) : holds(Pool::output, grant.output, output);
      }
      return fault;
    case TaskKind::write_output:
      return holds(Pool::output, grant.output, output);
  }
  return "a task of no kind";
}

void Ledger::give_back(Pool pool, Holder holder) {
  std::ranges::replace(slots(pool), holder, Holder{0});
}

void Ledger::finished(const Graph& graph, const core::Task& task) {
  const std::size_t tile = graph.nodes[graph.find(task).value()].tile;
  if (task.kind == TaskKind::write_output) give_back(Pool::output, holder(Pool::output, tile));
  if (task.kind != TaskKind::compute) return;
  if (plan_.layers[task.layer].filter_bytes != 0) {
    core::Task read = task;
    read.kind = TaskKind::read_weights;
    give_back(Pool::weights, holder(Pool::weights, graph.find(read).value()));
  }
  if (task.index + 1 == graph.tiles[tile].chunks) give_back(Pool::input, holder(Pool::input, tile));
}

bool Ledger::all_free() const {
  return std::ranges::all_of(held_, [](const std::vector<Holder>& pool) {
    return std::ranges::all_of(pool, [](Holder holder) { return holder == 0; });
  });
}

std::uint16_t Ledger::free_buffers(Pool pool) const {
  const std::size_t slot = plan_.pools.shared ? 0 : static_cast<std::size_t>(pool);
  return static_cast<std::uint16_t>(std::ranges::count(held_[slot], Holder{0}));
}

}  // namespace spillway::oracle
