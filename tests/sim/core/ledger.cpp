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
  if (own == 0 && buffers != 0 && !may_take) return "a compute task without input buffers";
  std::uint16_t length = 0;
  for (BufferIndex buffer = first; buffer != core::no_buffer; buffer = scheduler.next_buffer(buffer)) {
    if (++length > buffers) return "the chain of input buffers is too long";
    const std::string fault = own == 0 ? take(Pool::input, buffer, holder) : holds(Pool::input, buffer, holder);
    if (!fault.empty()) return "input " + fault;
  }
  return length == buffers ? std::string{} : "the chain of input buffers is too short";
}

/// The first tile of a layer with pins begins.
std::string Ledger::take_pins(const core::Task& task) {
  const core::Layer& layer = plan_.layers[task.layer];
  if (!layer.has_pins() || is_holder(task)) return {};
  if (pins_.tiles_left != 0) return "pins for a layer while another has some";
  pins_ = {.frame = task.frame,
           .layer = task.layer,
           .tiles_left = layer.tiles(),
           .group_left = layer.rows * layer.columns,
           .unseen_weights = layer.weight_pins,
           .unseen_outputs = layer.output_pins,
           .chunks = {},
           .outputs = {}};
  if (layer.output_pins != 0) pins_.tiles_left += plan_.layers[task.layer + 1].tiles();
  return {};
}

/// A chunk of a group is read into a pin that no other chunk of the group is in.
std::string Ledger::pinned_weights(const core::Task& task, BufferIndex buffer) {
  if (!is_holder(task)) return "weights of a layer without its pins";
  if (buffer >= slots(Pool::weights).size()) return "a buffer that the pool does not have";
  if (task.index != pins_.chunks.size()) return "a chunk of the group is not read in its turn";
  if (std::ranges::find(pins_.chunks, buffer) != pins_.chunks.end()) return "a pin that another chunk is in";
  pins_.chunks.push_back(buffer);
  if (slots(Pool::weights)[buffer] == pin) return {};
  if (pins_.unseen_weights == 0) return "more weight buffers than the layer has pins";
  --pins_.unseen_weights;
  return take(Pool::weights, buffer, pin);
}

/// The first Compute of a tile whose output is kept.
std::string Ledger::kept_output(const core::Task& task, BufferIndex buffer) {
  if (!is_holder(task)) return "an output of a layer without its pins";
  if (task.index != 0) {
    const bool own = task.tile < pins_.outputs.size() && pins_.outputs[task.tile] == buffer;
    return own ? std::string{} : "another output than the tile's";
  }
  if (pins_.outputs.size() <= task.tile) pins_.outputs.resize(task.tile + 1, core::no_buffer);
  pins_.outputs[task.tile] = buffer;
  --pins_.unseen_outputs;
  return take(Pool::output, buffer, pin);
}

/// What a driver is told about the kept outputs.
std::string Ledger::kept_outputs(const core::Scheduler& scheduler) const {
  if (pins_.tiles_left == 0 && scheduler.kept_buffer(0) != core::no_buffer) return "a kept output after its layer";
  for (std::uint32_t tile = 0; tile < pins_.outputs.size(); ++tile) {
    const BufferIndex buffer = pins_.outputs[tile];
    if (buffer != core::no_buffer && scheduler.kept_buffer(tile) != buffer) return "kept_buffer() of another tile";
  }
  return {};
}

std::string Ledger::selected(const Graph& graph, const core::Scheduler& scheduler, const core::Task& task) {
  const std::string fault = granted(graph, scheduler, task);
  return fault.empty() ? kept_outputs(scheduler) : fault;
}

std::string Ledger::granted(const Graph& graph, const core::Scheduler& scheduler, const core::Task& task) {
  const std::size_t node = graph.find(task).value();
  const std::size_t tile = graph.nodes[node].tile;
  const core::Layer& layer = plan_.layers[task.layer];
  const core::Grant grant = scheduler.grant(task);
  const Holder input = holder(Pool::input, tile);
  const Holder output = holder(Pool::output, tile);
  std::string fault;
  switch (task.kind) {
    case TaskKind::read_input:
      fault = take_pins(task);
      return fault.empty() ? inputs(scheduler, grant.input, input, layer.input_buffers, true) : fault;
    case TaskKind::read_weights:
      if (layer.weight_pins != 0) return pinned_weights(task, grant.weights);
      return take(Pool::weights, grant.weights, holder(Pool::weights, node));
    case TaskKind::compute:
      fault = inputs(scheduler, grant.input, input, layer.input_buffers, false);
      if (fault.empty() && layer.weight_pins != 0) {
        const bool own =
            is_holder(task) && task.index < pins_.chunks.size() && pins_.chunks[task.index] == grant.weights;
        if (!own) fault = "weights that are not the chunk's";
      } else if (fault.empty() && layer.filter_bytes != 0) {
        core::Task read = task;
        read.kind = TaskKind::read_weights;
        fault = holds(Pool::weights, grant.weights, holder(Pool::weights, graph.find(read).value()));
      }
      if (fault.empty() && layer.output_pins != 0) {
        fault = kept_output(task, grant.output);
      } else if (fault.empty()) {
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
  const core::Layer& layer = plan_.layers[task.layer];
  if (layer.filter_bytes != 0 && layer.weight_pins == 0) {
    core::Task read = task;
    read.kind = TaskKind::read_weights;
    give_back(Pool::weights, holder(Pool::weights, graph.find(read).value()));
  }
  if (task.index + 1 != graph.tiles[tile].chunks) return;
  give_back(Pool::input, holder(Pool::input, tile));
  computed(task);
}

/// A tile's last Compute has finished.
void Ledger::computed(const core::Task& task) {
  if (pins_.tiles_left == 0 || task.frame != pins_.frame) return;
  const core::Layer& layer = plan_.layers[pins_.layer];
  const bool reader = layer.output_pins != 0 && task.layer == pins_.layer + 1;
  if (task.layer != pins_.layer && !reader) return;
  if (task.layer == pins_.layer && --pins_.group_left == 0) {
    pins_.group_left = layer.rows * layer.columns;
    pins_.chunks.clear();
  }
  if (--pins_.tiles_left > 0) return;
  pins_ = {};
  give_back(Pool::weights, pin);
  give_back(Pool::output, pin);
}

bool Ledger::all_free() const {
  return pins_.tiles_left == 0 && std::ranges::all_of(held_, [](const std::vector<Holder>& pool) {
           return std::ranges::all_of(pool, [](Holder holder) { return holder == 0; });
         });
}

std::uint16_t Ledger::free_buffers(Pool pool) const {
  const std::size_t slot = plan_.pools.shared ? 0 : static_cast<std::size_t>(pool);
  const std::uint32_t unseen = pool == Pool::weights  ? pins_.unseen_weights
                               : pool == Pool::output ? pins_.unseen_outputs
                                                      : 0;
  return static_cast<std::uint16_t>(std::ranges::count(held_[slot], Holder{0}) - unseen);
}

}  // namespace spillway::oracle
