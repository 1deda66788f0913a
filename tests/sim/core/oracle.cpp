#include "oracle.hpp"

#include <algorithm>
#include <limits>
#include <ranges>

namespace spillway::oracle {

using core::Pool;
using core::Status;
using core::Task;
using core::TaskKind;

namespace {

Priority begin_priority(const Tile& tile) {
  return {tile.frame, tile.name.layer, tile.name.tile, 0, 0};
}

}  // namespace

Scheduler::Scheduler(const core::Plan& plan)
    : plan_(plan), graph_(build_graph(plan)), begun_(graph_.tiles.size()), outputs_left_(plan.frames) {
  if (plan.pools.shared) {
    free_[0] = static_cast<std::uint16_t>(plan.pools.total());
  } else {
    free_ = {plan.pools.input, plan.pools.weights, plan.pools.output};
  }
  // Outside the claim of no deadlock, where there are no pins, tiles need no tickets.
  tickets_ = in_claim() ? plan.pools.output : std::numeric_limits<std::uint32_t>::max();
  for (std::size_t tile = 0; tile < graph_.tiles.size(); ++tile) {
    ++outputs_left_[graph_.tiles[tile].frame];
    if (!graph_.tiles[tile].reads && graph_.tiles[tile].in_degree == 0) wait(tile);
  }
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
    if (graph_.nodes[node].in_degree == 0) release(node);
  }
  begin_by_themselves();
}

void Scheduler::release(std::size_t node) {
  graph_.nodes[node].state = State::ready;
  queue_of(graph_.nodes[node]).emplace(priority_of(graph_.nodes[node].task), node);
  if (graph_.nodes[node].task.kind == TaskKind::read_input) wait(graph_.nodes[node].tile);
}

void Scheduler::wait(std::size_t tile) {
  waiting_.emplace(begin_priority(graph_.tiles[tile]), tile);
}

/// Buffers that a task takes when it is SELECTED. Pins are taken before, by the tile that begins first.
Scheduler::Demand Scheduler::demand(const Node& node) const {
  const core::Layer& layer = layer_of(node);
  switch (node.task.kind) {
    case TaskKind::read_input:
      return {Pool::input, begun_[node.tile] ? std::uint16_t{0} : layer.input_buffers};
    case TaskKind::read_weights:
      return {Pool::weights, layer.weight_pins == 0 ? std::uint16_t{1} : std::uint16_t{0}};
    case TaskKind::compute:
      return {Pool::output, node.task.index == 0 && layer.output_pins == 0 ? std::uint16_t{1} : std::uint16_t{0}};
    case TaskKind::write_output:
      break;
  }
  return {};
}

/// What a tile lacks to begin now.
Scheduler::Lack Scheduler::lack(const Tile& tile) const {
  const core::Layer& layer = layer_of(tile);
  if (free_buffers(Pool::input) < layer.input_buffers) return Lack::input;
  if (layer.has_pins() && !holder_) {
    // The grant: all pins, and as many tickets as output buffers go, with one for a tile to work with.
    const bool granted = layer.weight_pins <= free_buffers(Pool::weights) &&
                         layer.output_pins <= free_buffers(Pool::output) &&
                         std::max<std::uint32_t>(layer.output_pins, 1) <= tickets_;
    return granted ? Lack::nothing : Lack::pins;
  }
  if (layer.output_pins != 0) return Lack::nothing;
  return tickets_ == 0 ? Lack::ticket : Lack::nothing;
}

/// The tile whose turn it is to begin: the first that waits, but not one whose layer has to wait for the pins of
/// another. While it cannot begin, none begins.
std::optional<std::size_t> Scheduler::next_to_begin() const {
  for (const auto& [priority, tile] : waiting_) {
    if (!passed_over(graph_.tiles[tile])) return tile;
  }
  return std::nullopt;
}

bool Scheduler::passed_over(const Tile& tile) const {
  return layer_of(tile).has_pins() && holder_ && !holds(tile);
}

bool Scheduler::can_start(const Node& node, const std::optional<std::size_t>& next) const {
  const Demand wanted = demand(node);
  if (node.task.kind != TaskKind::read_input || begun_[node.tile]) return wanted.buffers <= free_buffers(wanted.pool);
  // In a strict queue the head of the line waits, and only it is asked.
  const bool its_turn = plan_.queue == core::Queue::strict || next == node.tile;
  return its_turn && lack(graph_.tiles[node.tile]) == Lack::nothing;
}

void Scheduler::begin(std::size_t number) {
  const Tile& tile = graph_.tiles[number];
  const core::Layer& layer = layer_of(tile);
  waiting_.erase(begin_priority(tile));
  begun_[number] = true;
  if (layer.has_pins() && !holder_) {
    holder_ = {tile.frame, tile.name.layer, 0};
    for (const Tile& other : graph_.tiles)
      holder_->tiles_left += other.frame == tile.frame && uses_pins(other);
    take(Pool::weights, layer.weight_pins);
    take(Pool::output, layer.output_pins);
    tickets_ -= layer.output_pins;
  }
  take(Pool::input, layer.input_buffers);
  if (layer.output_pins == 0) --tickets_;
}

/// Whether a tile of the holder's frame needs the pins: a tile of the holder's layer, or one that reads its kept
/// output.
bool Scheduler::uses_pins(const Tile& tile) const {
  if (!holder_ || tile.frame != holder_->frame) return false;
  if (tile.name.layer == holder_->layer) return true;
  const core::Layer& layer = layer_of(tile);
  const auto parts = plan_.parts.subspan(layer.first_part, layer.parts);
  return std::ranges::any_of(parts,
                             [&](const core::Part& part) { return part.resident && part.producer == holder_->layer; });
}

void Scheduler::begin_by_themselves() {
  for (auto next = next_to_begin(); next && !graph_.tiles[*next].reads; next = next_to_begin()) {
    if (lack(graph_.tiles[*next]) != Lack::nothing) return;
    begin(*next);
    ++encounters_.by_itself;
    for (const std::size_t task : graph_.tiles[*next].first) {
      if (--graph_.nodes[task].in_degree == 0) release(task);
    }
  }
}

/// A tile's last Compute has finished.
void Scheduler::computed(const Tile& tile) {
  give_back(Pool::input, layer_of(tile).input_buffers);
  if (layer_of(tile).output_pins == 0) ++tickets_;
  if (!uses_pins(tile) || --holder_->tiles_left > 0) return;
  const core::Layer& layer = plan_.layers[holder_->layer];
  give_back(Pool::weights, layer.weight_pins);
  give_back(Pool::output, layer.output_pins);
  tickets_ += layer.output_pins;
  holder_.reset();
}

void Scheduler::take(Pool pool, std::uint16_t buffers) {
  free_[slot(pool)] = static_cast<std::uint16_t>(free_[slot(pool)] - buffers);
}

void Scheduler::give_back(Pool pool, std::uint16_t buffers) {
  free_[slot(pool)] = static_cast<std::uint16_t>(free_[slot(pool)] + buffers);
}

std::optional<std::size_t> Scheduler::first_startable(const ReadyQueue& queue) const {
  if (selected_ == core::Scheduler::max_selected) return std::nullopt;
  const std::optional<std::size_t> next = next_to_begin();
  for (const auto& [priority, node] : queue) {
    if (can_start(graph_.nodes[node], next)) return node;
    if (plan_.queue == core::Queue::strict) break;
  }
  return std::nullopt;
}

void Scheduler::count(const ReadyQueue& queue, const std::optional<std::size_t>& chosen) {
  const std::optional<std::size_t> next = next_to_begin();
  if (next && in_claim()) {
    const Lack lacking = lack(graph_.tiles[*next]);
    if (lacking == Lack::input && free_buffers(Pool::input) > 0) ++encounters_.kept;
    encounters_.waited_for_pins += lacking == Lack::pins;
    encounters_.no_ticket += lacking == Lack::ticket;
  }
  if (!chosen) {
    // A read that has only the outputs of an earlier frame before it: its producers' tiles, if any, are finished.
    for (const Node& node : graph_.nodes) {
      if (node.state != State::init || node.task.kind != TaskKind::read_input || node.task.frame < plan_.window)
        continue;
      if (node.in_degree == outputs_left_[node.task.frame - plan_.window]) {
        ++encounters_.held_back;
        break;
      }
    }
    return;
  }
  const Node& started = graph_.nodes[*chosen];
  if (queue.begin()->second != *chosen) ++encounters_.skipped;
  for (const ReadyQueue* ready : {&ready_io_, &ready_compute_}) {
    if (ready->empty() || ready->begin()->first.frame >= started.task.frame) continue;
    if (!can_start(graph_.nodes[ready->begin()->second], next)) {
      ++encounters_.across_frames;
      break;
    }
  }
  count_pins(started);
}

void Scheduler::count_pins(const Node& started) {
  const Tile& tile = graph_.tiles[started.tile];
  const core::Layer& layer = layer_of(tile);
  if (started.task.kind == TaskKind::compute) {
    const bool first_of_group =
        graph_.find({tile.frame, tile.name.tile, 0, tile.name.layer, TaskKind::read_weights}).has_value();
    encounters_.weights_outside += layer.weight_pins != 0 && !first_of_group;
    encounters_.later_groups += layer.weight_pins != 0 && first_of_group && tile.name.tile != 0;
    encounters_.kept_outputs += uses_pins(tile) && tile.name.layer != holder_->layer;
  }
  if (holder_) {
    const core::Layer& holding = plan_.layers[holder_->layer];
    encounters_.both += holding.weight_pins != 0 && holding.output_pins != 0;
  }
  const bool begins = started.task.kind == TaskKind::read_input && !begun_[started.tile];
  encounters_.passed_over += begins && waiting_.begin()->second != started.tile;
}

std::optional<Task> Scheduler::select(ReadyQueue& queue) {
  const std::optional<std::size_t> chosen = first_startable(queue);
  count(queue, chosen);
  if (!chosen) return std::nullopt;
  Node& node = graph_.nodes[*chosen];
  if (node.task.kind == TaskKind::read_input) {
    if (!begun_[node.tile]) begin(node.tile);
  } else {
    take(demand(node).pool, demand(node).buffers);
  }
  queue.erase(priority_of(node.task));
  node.state = State::selected;
  ++selected_;
  const Task task = node.task;
  begin_by_themselves();
  return task;
}

std::optional<Task> Scheduler::select_io() {
  return select(ready_io_);
}

std::optional<Task> Scheduler::select_compute() {
  return select(ready_compute_);
}

Status Scheduler::finish(const Task& task) {
  const std::optional<std::size_t> found = graph_.find(task);
  if (!found) return Status::unknown_task;
  Node& node = graph_.nodes[*found];
  if (node.state != State::selected) return Status::not_selected;
  node.state = State::finished;
  --selected_;
  ++finished_;

  const Tile& tile = graph_.tiles[node.tile];
  if (task.kind == TaskKind::compute) {
    if (layer_of(node).filter_bytes != 0 && layer_of(node).weight_pins == 0) give_back(Pool::weights, 1);
    if (task.index + 1 == tile.chunks) computed(tile);
  }
  if (task.kind == TaskKind::write_output) give_back(Pool::output, 1);
  if (node.finishes_tile) --outputs_left_[task.frame];
  for (const std::size_t successor : node.successors) {
    if (--graph_.nodes[successor].in_degree == 0) release(successor);
  }
  for (const std::size_t successor : node.tiles_after) {
    if (--graph_.tiles[successor].in_degree == 0) wait(successor);
  }
  begin_by_themselves();
  return Status::ok;
}

bool Scheduler::stalled() const {
  return !done() && selected_ == 0 && !first_startable(ready_io_) && !first_startable(ready_compute_);
}

std::uint32_t Scheduler::frames_done() const {
  return static_cast<std::uint32_t>(std::ranges::count(outputs_left_, 0U));
}

std::optional<core::Waiting> Scheduler::first_waiting(Pool kind) const {
  const std::optional<std::size_t> next = next_to_begin();
  for (const auto& [priority, node] : kind == Pool::output ? ready_compute_ : ready_io_) {
    const Demand wanted = demand(graph_.nodes[node]);
    if (wanted.buffers == 0 || wanted.pool != kind) continue;
    // A strict queue may hold up one that would fit.
    if (can_start(graph_.nodes[node], next)) return std::nullopt;
    return core::Waiting{graph_.nodes[node].task, kind, wanted.buffers, free_buffers(kind)};
  }
  return std::nullopt;
}

}  // namespace spillway::oracle
