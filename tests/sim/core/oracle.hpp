#pragma once

#include <array>
#include <compare>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "elements.hpp"

#include "sim/core/plan.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/core/task.hpp"

/// SwapNN's scheduler as its paper tells it (Algorithm 1, Figure 5 and the task states): an explicit graph of tasks
/// with in-degree counters, ReadyIO and ReadyCP queues sorted by priority, memory pools. Pins, which the paper does not
/// have, are told the same way: as edges of the graph and as what a tile needs to begin.
namespace spillway::oracle {

/// Life cycle of a task in the paper.
enum class State : std::uint8_t { init, ready, selected, finished };

/// Priority of a task; the smaller goes first.
struct Priority {
  std::uint32_t frame = 0, layer = 0, tile = 0;
  std::uint32_t step = 0;   ///< in the tile: 0 parts, 1 chunks, 2 the output
  std::uint32_t index = 0;  ///< part or chunk

  friend constexpr auto operator<=>(const Priority&, const Priority&) = default;
};

Priority priority_of(const core::Task& task);

/// A task of the explicit graph.
struct Node {
  core::Task task;
  std::uint32_t in_degree = 0;  ///< predecessors that have not finished
  std::vector<std::size_t> successors;
  std::vector<std::size_t> tiles_after;  ///< positions of the tiles without ReadInput that begin after this task
  State state = State::init;
  std::size_t tile = 0;        ///< position in Graph::tiles
  bool finishes_tile = false;  ///< after it the tile's output is there for its readers
};

/// One tile of one frame: what its tasks share.
///
/// A tile begins with its first ReadInput. One that has none begins by itself: that is a predecessor of its first
/// tasks, which stands for no task.
struct Tile {
  TileName name;
  std::uint32_t frame = 0;
  std::uint32_t chunks = 0;
  bool reads = true;               ///< it has ReadInput tasks
  std::uint32_t in_degree = 0;     ///< without ReadInput: predecessors of its beginning that have not finished
  std::vector<std::size_t> first;  ///< without ReadInput: the tasks that follow its beginning
};

/// The paper's BuildGraph: all tasks of all frames with their dependencies.
struct Graph {
  std::vector<Node> nodes;
  std::vector<Tile> tiles;
  std::map<std::pair<core::TaskKind, Priority>, std::size_t> by_task;

  /// The node of a task, or nothing where the plan has no such task.
  std::optional<std::size_t> find(const core::Task& task) const;
};

Graph build_graph(const core::Plan& plan);

/// How often a run met what makes a schedule difficult; one count for each selection.
struct Encounters {
  std::uint64_t skipped = 0;        ///< a READY task was passed over and a later one of its queue started
  std::uint64_t kept = 0;           ///< free input buffers were kept for a tile that waits for more of them
  std::uint64_t held_back = 0;      ///< a task that only the window held back, in a selection that found nothing
  std::uint64_t across_frames = 0;  ///< a task started while a READY task of an earlier frame waited for a buffer

  // With pins.
  std::uint64_t weights_outside = 0;  ///< a Compute with weights that another tile's ReadWeights brought
  std::uint64_t later_groups = 0;     ///< ... of a group that is not the layer's first
  std::uint64_t kept_outputs = 0;     ///< a Compute that takes input from a kept output
  std::uint64_t both = 0;             ///< a selection while one layer holds pins of both kinds
  std::uint64_t passed_over = 0;      ///< a tile began before one whose layer has to wait for the pins of another
  std::uint64_t waited_for_pins = 0;  ///< the first tile could not begin because too little was free for its pins
  std::uint64_t no_ticket = 0;        ///< the first tile could not begin for want of a ticket alone
  std::uint64_t by_itself = 0;        ///< a tile without ReadInput began
};

/// The paper's run-time: ScheduleIOTask and ScheduleComputeTask, told from outside what finished.
class Scheduler {
 public:
  explicit Scheduler(const core::Plan& plan);

  std::optional<core::Task> select_io();
  std::optional<core::Task> select_compute();
  core::Status finish(const core::Task& task);

  bool done() const { return finished_ == graph_.nodes.size(); }
  /// Nothing is SELECTED, nothing can start, and not done().
  bool stalled() const;
  std::uint16_t free_buffers(core::Pool pool) const { return free_[slot(pool)]; }
  std::uint32_t frames_done() const;

  /// The first READY task in order that waits for buffers of this kind and cannot start.
  std::optional<core::Waiting> first_waiting(core::Pool kind) const;

  const Graph& graph() const { return graph_; }
  const Encounters& encounters() const { return encounters_; }

 private:
  using ReadyQueue = std::map<Priority, std::size_t>;

  /// Buffers that a task takes when it is SELECTED.
  struct Demand {
    core::Pool pool = core::Pool::input;
    std::uint16_t buffers = 0;
  };

  bool in_claim() const { return plan_.queue == core::Queue::skip && !plan_.pools.shared; }
  std::size_t slot(core::Pool pool) const { return plan_.pools.shared ? 0 : static_cast<std::size_t>(pool); }
  ReadyQueue& queue_of(const Node& node) { return is_io(node.task.kind) ? ready_io_ : ready_compute_; }
  const core::Layer& layer_of(const Node& node) const { return plan_.layers[node.task.layer]; }

  /// What a tile lacks to begin.
  enum class Lack : std::uint8_t { nothing, input, ticket, pins };

  /// The layer of a frame that holds pins.
  struct Holder {
    std::uint32_t frame = 0;
    core::LayerIndex layer = 0;
    std::uint32_t tiles_left = 0;  ///< tiles to compute before the pins are given back
  };

  const core::Layer& layer_of(const Tile& tile) const { return plan_.layers[tile.name.layer]; }
  bool holds(const Tile& tile) const {
    return holder_ && holder_->frame == tile.frame && holder_->layer == tile.name.layer;
  }

  Demand demand(const Node& node) const;
  Lack lack(const Tile& tile) const;
  std::optional<std::size_t> next_to_begin() const;
  bool passed_over(const Tile& tile) const;
  bool uses_pins(const Tile& tile) const;
  bool can_start(const Node& node, const std::optional<std::size_t>& next) const;
  void wait(std::size_t tile);
  void begin(std::size_t tile);
  void begin_by_themselves();
  void take(core::Pool pool, std::uint16_t buffers);
  void give_back(core::Pool pool, std::uint16_t buffers);
  void computed(const Tile& tile);
  std::optional<std::size_t> first_startable(const ReadyQueue& queue) const;
  std::optional<core::Task> select(ReadyQueue& queue);
  void release(std::size_t node);
  void count(const ReadyQueue& queue, const std::optional<std::size_t>& chosen);
  void count_pins(const Node& started);

  core::Plan plan_;
  Graph graph_;
  ReadyQueue ready_io_, ready_compute_;
  std::array<std::uint16_t, 3> free_{};      ///< of each pool; only the first with one shared pool
  std::map<Priority, std::size_t> waiting_;  ///< tiles that have not begun and whose predecessors have finished
  std::vector<bool> begun_;                  ///< of each tile
  std::optional<Holder> holder_;
  std::uint32_t tickets_ = 0;                ///< that nobody has
  std::vector<std::uint32_t> outputs_left_;  ///< tiles of each frame that are not done
  std::uint32_t selected_ = 0;
  std::size_t finished_ = 0;
  Encounters encounters_;
};

}  // namespace spillway::oracle
