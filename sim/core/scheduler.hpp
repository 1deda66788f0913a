#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <type_traits>

#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

namespace spillway::core {

struct Axes;
struct Box;

/// Answers of the core.
enum class Status : std::uint8_t {
  ok,
  not_selected,       ///< finish() of a task that is not SELECTED now: never selected, or finished already
  unknown_task,       ///< finish() of a task that the plan does not have
  no_layers,          ///< no layers, frames or window, or a layer without tiles, parts, chunks or input buffers
  too_few_buffers,    ///< a pool is empty
  input_pool_small,   ///< a tile needs more input buffers than the pool has: it could never start
  output_pool_small,  ///< fewer output than input buffers: may deadlock
  pins_large,         ///< a layer's pins leave fewer than 2 weight buffers or 1 output buffer, or do not hold what they
                      ///< are for; pins with a queue or pools outside the claim
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

constexpr PlanSize size_of(const Plan& plan) {
  PlanSize size{static_cast<std::uint32_t>(plan.layers.size()), 0, plan.pools,
                plan.window < plan.frames ? plan.window : plan.frames};
  for (const Layer& layer : plan.layers)
    size.tiles += layer.tiles();
  return size;
}

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

  /// The output buffer that keeps a tile of the layer that holds pins now, or no_buffer.
  BufferIndex kept_buffer(std::uint32_t tile) const;

  /// Free buffers of a pool (of the one pool when Pools::shared).
  std::uint16_t free_buffers(Pool pool) const { return static_cast<std::uint16_t>(free_of(pool)); }

  /// Frames that are done.
  std::uint32_t frames_done() const { return plan_.frames - frames_left_; }

 private:
  /// Bytes from the start of the storage to a record: what chains and queues are linked by. The storage begins with a
  /// tile that no queue holds and that comes after every other: `none` may be read.
  using Offset = std::uint32_t;
  static constexpr Offset none = 0;
  static constexpr std::uint32_t no_frame = 0xFFFFFFFF, no_word = 0xFFFFFFFF;

  /// A tile of a frame in flight. Tasks are ordered by frame and place.
  struct TileId {
    std::uint32_t place;  ///< number of the tile's bits: within a frame, tiles stand in the order of layers
    std::uint32_t frame;
    Offset flight;  ///< of the frame
    std::uint32_t layer, tile;

    bool before(const TileId& other) const {
      return (std::uint64_t{frame} << 32 | place) < (std::uint64_t{other.frame} << 32 | other.place);
    }
  };

  /// 32 tiles of one layer of a frame in flight, a bit for each.
  struct Bits {
    std::uint32_t written;
    std::uint32_t ready;  ///< the input is on the card and no task of the tile has been selected
  };

  /// A frame in flight. Behind it stands the progress of each layer, and a last one that says where the places end.
  struct Flight {
    std::uint32_t frame;
    std::uint32_t tiles_left;   ///< tiles not written yet
    std::uint32_t word, layer;  ///< no bits before this word have a ready tile; its layer, or one before
  };

  /// Progress of one layer of a frame in flight.
  struct Progress {
    std::uint32_t first_place;  ///< of its tiles: a multiple of 32
    std::uint32_t tiles_left;
  };

  /// The ready queues, apart by what their tasks need; those that need a buffer have the number of its pool. A tile is
  /// in at most one of the first two and one of the others.
  enum Queues : std::uint32_t {
    moves,   ///< IO that needs no buffer: further parts of an input, outputs
    reads,   ///< weights
    starts,  ///< first chunks, which take an output buffer
    steps,   ///< compute with the output buffer in hand
    queues
  };

  /// A tile that holds a buffer.
  struct Tile {
    TileId id;
    Offset next[queues];  ///< in each queue; of a free record, the first one is the next free record
    std::uint32_t chunks, next_read, next_compute;
    std::uint32_t next_part, reading;                  ///< the part to select next; parts selected and not finished
    Offset input, output, weights_head, weights_tail;  ///< buffers; weights in the order of the chunks
  };

  /// A buffer: the next one of its chain, and whether its weights have arrived.
  struct Buffer {
    Offset next;
    std::uint32_t loaded;
  };

  /// The layer of a frame that holds pins.
  struct Holder {
    std::uint32_t frame, layer;
    Offset weights, outputs;   ///< chains: a pin for each chunk of a group; a pin for each output tile
    Offset next_output;        ///< pin of the next tile to open
    std::uint32_t group_left;  ///< tiles of the group in progress that have not computed
    std::uint32_t tiles_left;  ///< tiles that have not computed, those of the reader of a kept output included
  };

  struct Selected {
    Offset tile;
    Offset weights;  ///< buffer that the task fills or uses
    std::uint32_t index;
    TaskKind kind;
  };

  enum class Source : std::uint8_t { move, weights, start, nothing };

  static constexpr Offset tile_bytes = sizeof(Tile), buffer_bytes = sizeof(Buffer);
  static constexpr Offset flight_bytes(std::uint32_t layers) {
    return static_cast<Offset>(sizeof(Flight) + (layers + 1) * sizeof(Progress));
  }
  static constexpr std::uint32_t active_tiles(const Pools& pools) {
    if (pools.shared) return pools.total();
    // A tile that has computed holds an output buffer; one that has not an input buffer or, with pins, a ticket, of
    // which there are as many as output buffers.
    return std::uint32_t{pools.output} + (pools.input > pools.output ? pools.input : pools.output);
  }

  // Selection.
  Source choose_io() const;
  Offset choose_compute() const;
  bool can_open() const;
  void open_tile();
  void open_tiles_without_input();
  bool holds_pins(const TileId& id) const { return id.frame == holder_.frame && id.layer == holder_.layer; }
  std::optional<Task> select(TaskKind kind, std::uint32_t index, Offset tile, Offset weights);
  std::uint32_t existing_part(std::uint32_t layer, std::uint32_t tile, std::uint32_t from) const;
  static Task task_of(const TileId& id, TaskKind kind, std::uint32_t index) {
    return {id.frame, id.tile, index, static_cast<LayerIndex>(id.layer), kind};
  }

  // Completion.
  bool exists(const Task& task) const;
  std::uint32_t find(const Task& task) const;
  void input_complete(Offset tile);
  void weights_loaded(Offset tile, Offset weights);
  void finish_compute(Offset tile);
  void tile_done(Offset tile);

  // Pins (pins.cpp).
  void take_pins(const Layer& layer);
  void computed_with_pins(const TileId& id);
  void start_group(const TileId& id);
  bool waits_for_holder(const TileId& tile) const;
  void pass_over(TileId tile);
  void offer_compute(Offset tile) { insert(tile_at(tile).output == none ? starts : steps, tile); }

  // Release of successors (release.cpp).
  void start_frame(Flight& flight, std::uint32_t frame);
  bool lacks_input(const Flight& flight, const Layer& reader) const;
  void release(Flight& flight, std::uint32_t consumer, std::uint32_t producer, const Box& written,
               std::uint32_t channel = 0);
  void make_ready(Flight& flight, std::uint32_t consumer, const Axes& axes, const Box& outputs);
  bool input_written(const Flight& flight, const Layer& reader, const Axes& axes, std::uint32_t tile) const;
  void find_first();

  // Storage.
  Tile& tile_at(Offset offset) const { return *reinterpret_cast<Tile*>(storage_ + offset); }
  Buffer& buffer_at(Offset offset) const { return *reinterpret_cast<Buffer*>(storage_ + offset); }
  Flight& flight_at(Offset offset) const { return *reinterpret_cast<Flight*>(storage_ + offset); }
  static Progress& progress(Flight& flight, std::uint32_t layer) {
    return reinterpret_cast<Progress*>(&flight + 1)[layer];
  }
  static const Progress& progress(const Flight& flight, std::uint32_t layer) {
    return reinterpret_cast<const Progress*>(&flight + 1)[layer];
  }
  std::uint32_t layers() const { return static_cast<std::uint32_t>(plan_.layers.size()); }

  // Pools and queues.
  std::uint32_t pool_of(Pool pool) const { return static_cast<std::uint32_t>(pool) & pool_mask_; }
  std::uint32_t free_of(Pool pool) const { return free_count_[pool_of(pool)]; }
  Offset move_buffer(Offset& from, Offset& to);
  BufferIndex number(Pool pool, Offset buffer) const;
  Offset take(Pool pool, Offset& chain);
  void give(Pool pool, Offset& chain);
  void insert(Queues queue, Offset tile);
  void pop(Queues queue);

  // Short offsets make short instructions on the microcontroller: the arrays come last.
  std::byte* storage_ = nullptr;
  Bits* bits_ = nullptr;
  Offset flights_ = none, flights_end_ = none;
  std::uint32_t flight_bytes_ = 0;
  std::uint32_t frames_left_ = 0;
  std::uint32_t selected_count_ = 0;
  Offset free_tile_ = none;
  std::uint32_t pool_mask_ = 0;
  Offset head_[queues]{}, tail_[queues]{};  ///< the tail of an empty queue means nothing
  TileId first_{};                          ///< the first ready tile
  Plan plan_{};
  /// Tiles that may be opened and not computed. Where no layer has pins the input buffers are the bound.
  std::uint32_t tickets_ = 0;
  Holder holder_{};
  // Of each pool: where its buffers begin, the chain of those that are free, their number.
  Offset first_buffer_[3]{}, free_buffer_[3]{};
  std::uint32_t free_count_[3]{};
  Selected selected_[max_selected]{};
};

constexpr std::uint32_t Scheduler::storage_words(const PlanSize& size) {
  // Each layer's bits begin in a word of their own.
  const std::uint32_t words = size.tiles / 32 + size.layers;
  const std::size_t frame = flight_bytes(size.layers) + words * sizeof(Bits);
  const std::size_t bytes =
      size.window * frame + (1 + active_tiles(size.pools)) * tile_bytes + size.pools.total() * buffer_bytes;
  return static_cast<std::uint32_t>(bytes / sizeof(std::uint32_t));
}

constexpr std::size_t Scheduler::state_bytes(const PlanSize& size) {
  return sizeof(Scheduler) + std::size_t{storage_words(size)} * sizeof(std::uint32_t);
}

static_assert(std::is_trivially_copyable_v<Scheduler>);

}  // namespace spillway::core
