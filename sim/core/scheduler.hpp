#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

namespace spillway::core {

struct Box;

/// Answers of the core.
enum class Status : std::uint8_t {
  ok,
  not_selected,       ///< finish() of a task that is not SELECTED now: never selected, or finished already
  unknown_task,       ///< finish() of a task that the plan does not have
  no_layers,          ///< the plan has no layers, no frames, no window, or a layer without tiles or parts
  too_few_buffers,    ///< a pool is empty
  input_pool_small,   ///< a tile needs more input buffers than the pool has: it could never start
  output_pool_small,  ///< fewer output than input buffers: may deadlock
  storage_small,      ///< the caller's storage is smaller than storage_words()
};

/// The pools, also as "what a task waits for".
enum class Pool : std::uint8_t { input, weights, output };

/// A task that is READY but cannot start, and the pool it waits for.
struct Waiting {
  Task task;
  Pool pool = Pool::input;
  std::uint16_t needed = 0, free = 0;  ///< buffers
};

/// Index of a buffer within its pool (of the one pool when Pools::shared).
using BufferIndex = std::uint16_t;
inline constexpr BufferIndex no_buffer = 0xFFFF;

/// Buffers that a SELECTED task uses. The input buffers of a tile form a chain: Scheduler::next_buffer.
struct Grant {
  BufferIndex input = no_buffer, weights = no_buffer, output = no_buffer;
};

/// Size of a plan, as far as it decides the core's memory.
struct PlanSize {
  std::uint32_t layers = 0;
  std::uint32_t tiles = 0;  ///< of all layers
  Pools pools;
  std::uint32_t window = 1;
};

PlanSize size_of(const Plan& plan);

/// The scheduler of SwapNN (Algorithm 1) as a state machine without input or output: it is told what finished and asked
/// what to start. It reads no clock, never blocks, allocates or throws, and is not re-entrant.
///
/// READY tasks are taken in the order (frame, layer, tile, part or chunk). Its memory is the object itself and the
/// words that the caller gives to start(); both together are bounded by state_bytes().
class Scheduler {
 public:
  /// Tasks that can be SELECTED at one time; a selection beyond that waits.
  static constexpr std::uint32_t max_selected = 8;

  /// 32-bit words that start() needs for a plan of this size.
  static constexpr std::uint32_t storage_words(const PlanSize& size);

  /// Everything the core occupies for a plan of this size, the object itself included.
  static constexpr std::size_t state_bytes(const PlanSize& size);

  /// Whether a plan can be run: ok, or the reason why not. A plan that can deadlock is refused, except where it asks
  /// for a queue or pools that are outside the claim.
  static Status check(const Plan& plan);

  /// Begins a run of `plan`, whose tables and `storage` must outlive it. Anything but ok leaves nothing to run.
  Status start(const Plan& plan, std::span<std::uint32_t> storage);

  /// READY -> SELECTED of the first IO task that can start; takes its buffers. Empty: nothing can start now.
  std::optional<Task> select_io();

  /// READY -> SELECTED of the first compute task that can start; takes the output buffer with a tile's first chunk.
  std::optional<Task> select_compute();

  /// SELECTED -> FINISHED: gives buffers back and releases successors.
  Status finish(const Task& task);

  /// All frames are done.
  bool done() const { return frames_left_ == 0; }

  /// Nothing is SELECTED, nothing can start, and not done().
  bool stalled() const;

  /// Writes the READY tasks that head each queue and cannot start, and returns how many there are (at most three).
  std::uint32_t waiting(std::span<Waiting, 3> out) const;

  /// Buffers that a SELECTED task uses.
  Grant grant(const Task& task) const;

  /// Next buffer of the chain of a tile's input buffers, or no_buffer.
  BufferIndex next_buffer(BufferIndex buffer) const;

  /// Free buffers of a pool (of the one pool when Pools::shared).
  std::uint16_t free_buffers(Pool pool) const;

  /// Frames that are done.
  std::uint32_t frames_done() const;

 private:
  /// Words from the start of the storage to a record: what chains and queues are linked by.
  using Offset = std::uint32_t;
  static constexpr Offset none = 0xFFFFFFFF;

  /// What tasks are ordered by. A tile's place counts the tiles before it in its frame, each layer from a multiple of
  /// 32: it is the number of the tile's bit.
  struct Priority {
    std::uint32_t frame, place;

    friend bool operator<(const Priority& a, const Priority& b) {
      return (std::uint64_t{a.frame} << 32 | a.place) < (std::uint64_t{b.frame} << 32 | b.place);
    }
  };

  /// A tile of a frame in flight.
  struct TileId {
    Priority priority;
    std::uint32_t slot, layer, tile;
  };

  /// Progress of one layer of one frame in flight.
  struct Progress {
    std::uint32_t tiles_left;   ///< tiles not written yet
    std::uint32_t ready;        ///< tiles whose input is on the card and that have not been started
    std::uint32_t first_ready;  ///< no word of the layer's ready bits before this one is set
  };

  /// A place for one frame in flight.
  struct Slot {
    std::uint32_t frame;
    std::uint32_t tiles_left;
    std::uint32_t ready;
  };

  /// A tile that holds a buffer.
  struct Tile {
    TileId id;
    std::uint32_t chunks, next_read, next_compute;
    std::uint32_t next_part, parts_left;  ///< the part to select next; parts not finished
    std::uint32_t computing;
    Offset input, output, weights_head, weights_tail;  ///< buffers; weights in the order of the chunks
    Offset previous[2], next[2];                       ///< in an IO queue and in a compute queue
  };

  /// A buffer: the next one of its chain, and whether its weights have arrived.
  struct Buffer {
    Offset next;
    std::uint32_t loaded;
  };

  struct BufferPool {
    Offset first;  ///< where its buffers begin
    Offset free;   ///< chain of free buffers
    std::uint32_t free_count;
  };

  /// The ready queues, apart by what their tasks need. A tile is in at most one of the first two and one of the others.
  enum Queues : std::uint32_t {
    moves,   ///< IO that needs no buffer: further parts of an input, outputs
    reads,   ///< weights
    steps,   ///< compute with the output buffer in hand
    starts,  ///< first chunks, which take an output buffer
    queues
  };
  struct Line {
    Offset head, tail;
  };

  struct Selected {
    Task task;
    Offset tile, weights;
  };

  enum class Source : std::uint8_t { nothing, move, weights, start };

  static constexpr std::uint32_t words_of(std::size_t bytes) { return static_cast<std::uint32_t>((bytes + 3) / 4); }
  static constexpr std::uint32_t active_tiles(const Pools& pools) {
    return pools.shared ? pools.total() : std::uint32_t{pools.input} + pools.output;
  }

  // Selection.
  Source choose_io(TileId& start) const;
  Offset choose_compute() const;
  bool first_ready(TileId& found) const;
  Offset open_tile(const TileId& id);
  Task select(TaskKind kind, std::uint32_t index, Offset tile, Offset weights);
  std::uint32_t existing_part(const TileId& id, std::uint32_t from) const;
  Task task_of(const TileId& id, TaskKind kind, std::uint32_t index) const {
    return {id.priority.frame, id.tile, index, static_cast<LayerIndex>(id.layer), kind};
  }

  // Completion.
  bool exists(const Task& task) const;
  const Selected* find(const Task& task) const;
  void finish_compute(Offset tile);
  void finish_output(Offset tile);
  void offer_compute(Offset tile) { insert(tile_at(tile).output == none ? starts : steps, tile); }

  // Release of successors (release.cpp).
  void start_frame(std::uint32_t frame, std::uint32_t slot);
  void release_consumers(const TileId& written);
  void release(std::uint32_t slot, std::uint32_t consumer, const Box& tiles);
  bool input_written(std::uint32_t slot, const Layer& layer, std::uint32_t tile) const;
  void set_ready(std::uint32_t slot, std::uint32_t layer, std::uint32_t tile);
  void clear_ready(const TileId& id);

  // Storage.
  Tile& tile_at(Offset at) const { return *reinterpret_cast<Tile*>(storage_ + at); }
  Buffer& buffer_at(Offset at) const { return *reinterpret_cast<Buffer*>(storage_ + at); }
  Progress& progress(std::uint32_t slot, std::uint32_t layer) const { return progress_[slot * layers_ + layer]; }
  std::uint32_t place_of(std::uint32_t layer, std::uint32_t tile) const { return first_place_[layer] + tile; }
  std::uint32_t& word_of(std::uint32_t* bits, std::uint32_t slot, std::uint32_t place) const {
    return bits[slot * frame_words_ + place / 32];
  }

  // Pools and queues.
  std::uint32_t pool_of(Pool pool) const { return plan_.pools.shared ? 0 : static_cast<std::uint32_t>(pool); }
  std::uint32_t free_of(Pool pool) const { return pools_[pool_of(pool)].free_count; }
  Offset take(Pool pool);
  void give(Pool pool, Offset buffer);
  void insert(Queues queue, Offset tile);
  void remove(Queues queue, Offset tile);

  // Short offsets make short instructions on the microcontroller: the arrays come last.
  std::uint32_t layers_ = 0, window_ = 0, layer_words_ = 0, frame_words_ = 0;
  std::uint32_t frames_left_ = 0, in_flight_ = 0;
  std::uint32_t ready_total_ = 0;
  std::uint32_t selected_count_ = 0;
  Offset free_tile_ = none;
  std::uint32_t* storage_ = nullptr;
  std::uint32_t* first_place_ = nullptr;  ///< of each layer
  Progress* progress_ = nullptr;
  std::uint32_t* done_ = nullptr;
  std::uint32_t* ready_ = nullptr;
  std::uint32_t* ready_layers_ = nullptr;
  Slot* slots_ = nullptr;
  std::uint32_t* order_ = nullptr;  ///< slots of the frames in flight, oldest frame first
  Plan plan_{};
  Line lines_[queues]{};
  BufferPool pools_[3]{};
  Selected selected_[max_selected]{};
};

constexpr std::uint32_t Scheduler::storage_words(const PlanSize& size) {
  // Each layer's bits begin in a word of their own.
  const std::uint32_t frame_words = (size.tiles + 31 * size.layers) / 32;
  const std::uint32_t layer_words = (size.layers + 31) / 32;
  return size.window *
             (size.layers * words_of(sizeof(Progress)) + 2 * frame_words + layer_words + words_of(sizeof(Slot)) + 1) +
         size.layers + active_tiles(size.pools) * words_of(sizeof(Tile)) +
         size.pools.total() * words_of(sizeof(Buffer));
}

constexpr std::size_t Scheduler::state_bytes(const PlanSize& size) {
  return sizeof(Scheduler) + std::size_t{storage_words(size)} * sizeof(std::uint32_t);
}

static_assert(std::is_trivially_copyable_v<Scheduler>);

}  // namespace spillway::core
