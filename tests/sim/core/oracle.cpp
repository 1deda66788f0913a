#include "oracle.hpp"

#include <algorithm>
#include <ranges>

namespace spillway::oracle {

using core::Pool;
using core::Status;
using core::Task;
using core::TaskKind;

Priority priority_of(const Task& task) {
  const std::uint32_t step = task.kind == TaskKind::read_input ? 0 : task.kind == TaskKind::write_output ? 2 : 1;
  return {task.frame, task.layer, task.tile, step, task.index};
}

std::optional<std::size_t> Graph::find(const Task& task) const {
  const auto found = by_task.find({task.kind, priority_of(task)});
  if (found == by_task.end()) return std::nullopt;
  return found->second;
}

namespace {

/// Builds the graph tile by tile, in topological order of the layers.
class Builder {
 public:
  explicit Builder(const core::Plan& plan) : plan_(plan), elements_(plan) {}

  Graph build() {
    for (std::uint32_t frame = 0; frame < plan_.frames; ++frame) {
      writes_.clear();
      for (core::LayerIndex layer = 0; layer < plan_.layers.size(); ++layer) {
        for (std::uint32_t tile = 0; tile < elements_.tiles(layer); ++tile)
          add_tile(frame, {layer, tile});
      }
      writes_of_frame_.push_back(writes_);
    }
    return std::move(graph_);
  }

 private:
  void add_tile(std::uint32_t frame, const TileName& name) {
    const std::vector<Chunk> chunks = elements_.chunks(name);
    graph_.tiles.push_back({name, frame, static_cast<std::uint32_t>(chunks.size())});

    std::vector<std::size_t> reads;
    for (const std::uint32_t part : elements_.parts(name)) {
      const std::size_t read = add(frame, name, TaskKind::read_input, part);
      for (const TileName& source : elements_.sources(name))
        precede(writes_.at(source), read);
      if (frame >= plan_.window) {
        for (const auto& [source, write] : writes_of_frame_[frame - plan_.window])
          precede(write, read);
      }
      reads.push_back(read);
    }

    std::optional<std::size_t> previous;
    for (std::uint32_t chunk = 0; chunk < chunks.size(); ++chunk) {
      std::vector<std::size_t> before = reads;
      if (plan_.layers[name.layer].filter_bytes != 0) {
        const std::size_t weights = add(frame, name, TaskKind::read_weights, chunk);
        for (const std::size_t read : reads)
          precede(read, weights);
        before = {weights};
      }
      const std::size_t compute = add(frame, name, TaskKind::compute, chunk);
      for (const std::size_t task : before)
        precede(task, compute);
      if (previous) precede(*previous, compute);
      previous = compute;
    }

    const std::size_t write = add(frame, name, TaskKind::write_output, 0);
    precede(previous.value(), write);
    writes_[name] = write;
  }

  std::size_t add(std::uint32_t frame, const TileName& name, TaskKind kind, std::uint32_t index) {
    const std::size_t node = graph_.nodes.size();
    const Task task{.frame = frame, .tile = name.tile, .index = index, .layer = name.layer, .kind = kind};
    graph_.nodes.push_back(
        {.task = task, .in_degree = 0, .successors = {}, .state = State::init, .tile = graph_.tiles.size() - 1});
    graph_.by_task[{kind, priority_of(task)}] = node;
    return node;
  }

  void precede(std::size_t before, std::size_t after) {
    graph_.nodes[before].successors.push_back(after);
    ++graph_.nodes[after].in_degree;
  }

  const core::Plan& plan_;
  Elements elements_;
  Graph graph_;
  std::map<TileName, std::size_t> writes_;  ///< of the frame being built
  std::vector<std::map<TileName, std::size_t>> writes_of_frame_;
};

}  // namespace

Graph build_graph(const core::Plan& plan) {
  return Builder(plan).build();
}

Scheduler::Scheduler(const core::Plan& plan)
    : plan_(plan), graph_(build_graph(plan)), input_taken_(graph_.tiles.size()), outputs_left_(plan.frames) {
  if (plan.pools.shared) {
    free_[0] = static_cast<std::uint16_t>(plan.pools.total());
  } else {
    free_ = {plan.pools.input, plan.pools.weights, plan.pools.output};
  }
  for (std::size_t node = 0; node < graph_.nodes.size(); ++node) {
    const Task& task = graph_.nodes[node].task;
    if (task.kind == TaskKind::write_output) ++outputs_left_[task.frame];
    if (graph_.nodes[node].in_degree == 0) release(node);
  }
}

void Scheduler::release(std::size_t node) {
  graph_.nodes[node].state = State::ready;
  queue_of(graph_.nodes[node]).emplace(priority_of(graph_.nodes[node].task), node);
}

Scheduler::Demand Scheduler::demand(const Node& node) const {
  switch (node.task.kind) {
    case TaskKind::read_input:
      return {Pool::input, input_taken_[node.tile] ? std::uint16_t{0} : layer_of(node).input_buffers};
    case TaskKind::read_weights:
      return {Pool::weights, 1};
    case TaskKind::compute:
      return {Pool::output, node.task.index == 0 ? std::uint16_t{1} : std::uint16_t{0}};
    case TaskKind::write_output:
      break;
  }
  return {};
}

/// The first READY tile that waits for several input buffers of which not all are free: a queue that skips keeps the
/// buffers of its pool from every task after it.
std::optional<Priority> Scheduler::keeper() const {
  if (plan_.queue == core::Queue::strict) return std::nullopt;
  for (const auto& [priority, node] : ready_io_) {
    const Demand wanted = demand(graph_.nodes[node]);
    if (wanted.pool == Pool::input && wanted.buffers > 1 && free_buffers(Pool::input) < wanted.buffers) return priority;
  }
  return std::nullopt;
}

bool Scheduler::can_start(const Node& node, const std::optional<Priority>& keeper) const {
  const Demand wanted = demand(node);
  if (wanted.buffers == 0) return true;
  if (free_buffers(wanted.pool) < wanted.buffers) return false;
  // One shared pool keeps buffers only among the starts of tiles: it is outside the claim of no deadlock.
  return !keeper || wanted.pool != Pool::input || priority_of(node.task) < *keeper;
}

std::optional<std::size_t> Scheduler::first_startable(const ReadyQueue& queue) const {
  if (selected_ == core::Scheduler::max_selected) return std::nullopt;
  const std::optional<Priority> kept_for = keeper();
  for (const auto& [priority, node] : queue) {
    if (can_start(graph_.nodes[node], kept_for)) return node;
    if (plan_.queue == core::Queue::strict) break;
  }
  return std::nullopt;
}

void Scheduler::count(const ReadyQueue& queue, const std::optional<std::size_t>& chosen) {
  const std::optional<Priority> kept_for = keeper();
  if (kept_for && free_buffers(Pool::input) > 0) ++encounters_.kept;
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
    if (!can_start(graph_.nodes[ready->begin()->second], kept_for)) {
      ++encounters_.across_frames;
      break;
    }
  }
}

std::optional<Task> Scheduler::select(ReadyQueue& queue) {
  const std::optional<std::size_t> chosen = first_startable(queue);
  count(queue, chosen);
  if (!chosen) return std::nullopt;
  Node& node = graph_.nodes[*chosen];
  const Demand wanted = demand(node);
  free_[slot(wanted.pool)] = static_cast<std::uint16_t>(free_[slot(wanted.pool)] - wanted.buffers);
  if (node.task.kind == TaskKind::read_input) input_taken_[node.tile] = true;
  queue.erase(priority_of(node.task));
  node.state = State::selected;
  ++selected_;
  return node.task;
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

  const auto give_back = [this](Pool pool, std::uint16_t buffers) {
    free_[slot(pool)] = static_cast<std::uint16_t>(free_[slot(pool)] + buffers);
  };
  if (task.kind == TaskKind::compute) {
    if (layer_of(node).filter_bytes != 0) give_back(Pool::weights, 1);
    if (task.index + 1 == graph_.tiles[node.tile].chunks) give_back(Pool::input, layer_of(node).input_buffers);
  }
  if (task.kind == TaskKind::write_output) {
    give_back(Pool::output, 1);
    --outputs_left_[task.frame];
  }
  for (const std::size_t successor : node.successors) {
    if (--graph_.nodes[successor].in_degree == 0) release(successor);
  }
  return Status::ok;
}

bool Scheduler::stalled() const {
  return !done() && selected_ == 0 && !first_startable(ready_io_) && !first_startable(ready_compute_);
}

std::uint32_t Scheduler::frames_done() const {
  return static_cast<std::uint32_t>(std::ranges::count(outputs_left_, 0U));
}

std::optional<core::Waiting> Scheduler::first_waiting(Pool kind) const {
  const std::optional<Priority> kept_for = keeper();
  for (const auto& [priority, node] : kind == Pool::output ? ready_compute_ : ready_io_) {
    const Demand wanted = demand(graph_.nodes[node]);
    if (wanted.buffers == 0 || wanted.pool != kind || can_start(graph_.nodes[node], kept_for)) continue;
    return core::Waiting{graph_.nodes[node].task, kind, wanted.buffers, free_buffers(kind)};
  }
  return std::nullopt;
}

}  // namespace spillway::oracle
