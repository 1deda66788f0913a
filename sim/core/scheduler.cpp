#include "sim/core/scheduler.hpp"

#include "sim/core/axes.hpp"
#include "sim/core/geometry.hpp"

namespace spillway::core {
namespace {

/// Whether a layer's pins hold what they are for and leave enough for everything else.
bool pins_fit(const Plan& plan, const Layer& layer) {
  if (!layer.waits_for_all) return false;
  if (layer.weights_outside() &&
      (!layer.has_weights() || layer.weight_pins < layer.chunks || layer.weight_pins + 2 > plan.pools.weights))
    return false;
  if (!layer.keeps_output()) return true;
  // Only the next row reads a kept output, and has no pins to wait for.
  const Layer* reader = &layer + 1;
  return layer.output_pins == layer.tiles() && layer.output_pins < plan.pools.output && layer.consumers == 1 &&
         plan.layers.data() + plan.consumers[layer.first_consumer] == reader && !reader->has_pins();
}

}  // namespace

Status Scheduler::check(const Plan& plan) {
  if (plan.layers.empty() || plan.frames == 0 || plan.window == 0) return Status::no_layers;
  const Pools& pools = plan.pools;
  if (pools.input == 0 || pools.weights == 0 || pools.output == 0) return Status::too_few_buffers;
  const bool in_claim = !pools.shared && plan.queue == Queue::skip;
  for (const Layer& layer : plan.layers) {
    if (layer.tiles() == 0 || layer.parts == 0 || layer.chunks == 0) return Status::no_layers;
    if (layer.input_buffers == 0 && !(with_pins && plan.parts[layer.first_part].resident)) return Status::no_layers;
    if (layer.input_buffers > (pools.shared ? pools.total() : pools.input)) return Status::input_pool_small;
    if ((layer.weight_pins | layer.output_pins) != 0 && !(with_pins && in_claim && pins_fit(plan, layer)))
      return Status::pins_large;
  }
  return in_claim && pools.output < pools.input ? Status::output_pool_small : Status::ok;
}

Status Scheduler::start(const Plan& plan, std::span<std::uint32_t> storage) {
  frames_left_ = selected_count_ = plan_.frames = 0;
  if (const Status status = check(plan); status != Status::ok) return status;
  const PlanSize size = size_of(plan);
  if (storage.size() < storage_words(size)) return Status::storage_small;

  plan_ = plan;
  frames_left_ = plan.frames;
  if (with_pins) {
    holder_.frame = no_frame;
    tickets_ = plan.pools.shared || plan.queue == Queue::strict ? plan.pools.total() : plan.pools.output;
  }
  storage_ = reinterpret_cast<std::byte*>(storage.data());
  pool_mask_ = plan.pools.shared ? 0 : 3;
  free_tile_ = none;
  for (Offset& head : head_)
    head = none;
  tile_at(none).id.frame = no_frame;
  Offset next = tile_bytes;
  for (std::uint32_t i = active_tiles(plan.pools); i > 0; --i, next += tile_bytes) {
    if (with_pins) tile_at(next).weights_head = none;
    tile_at(next).next[0] = free_tile_;
    free_tile_ = next;
  }
  const std::uint16_t sizes[] = {plan.pools.input, plan.pools.weights, plan.pools.output};
  for (std::uint32_t pool = 0; pool < 3; ++pool) {
    first_buffer_[pool] = next;
    free_buffer_[pool] = none;
    free_count_[pool] = 0;
    for (std::uint32_t i = sizes[pool]; i > 0; --i, next += buffer_bytes) {
      Offset buffer = next;
      give(static_cast<Pool>(pool), buffer);
    }
  }
  flights_ = next;
  flight_bytes_ = flight_bytes(size.layers);
  flights_end_ = next + size.window * flight_bytes_;
  bits_ = reinterpret_cast<Bits*>(storage_ + flights_end_);
  std::uint32_t place = 0;
  for (std::uint32_t frame = 0; frame < size.window; ++frame, next += flight_bytes_) {
    Flight& flight = flight_at(next);
    progress(flight, 0).first_place = place;
    start_frame(flight, frame);
    place = progress(flight, size.layers).first_place;
  }
  find_first();
  return Status::ok;
}

// Pools.

/// Moves the first buffer of a chain to the front of another.
Scheduler::Offset Scheduler::move_buffer(Offset& from, Offset& to) {
  const Offset buffer = from;
  from = buffer_at(buffer).next;
  buffer_at(buffer) = {to, 0};
  to = buffer;
  return buffer;
}

Scheduler::Offset Scheduler::take(Pool pool, Offset& chain) {
  --free_count_[pool_of(pool)];
  return move_buffer(free_buffer_[pool_of(pool)], chain);
}

void Scheduler::give(Pool pool, Offset& chain) {
  ++free_count_[pool_of(pool)];
  move_buffer(chain, free_buffer_[pool_of(pool)]);
}

// Queues: lists in the order of priority. New tiles mostly belong at one of the two ends.

void Scheduler::insert(Queues queue, Offset at) {
  Tile& tile = tile_at(at);
  Offset* place = &head_[queue];
  if (head_[queue] != none && tile_at(tail_[queue]).id.before(tile.id)) place = &tile_at(tail_[queue]).next[queue];
  while (tile_at(*place).id.before(tile.id))
    place = &tile_at(*place).next[queue];
  tile.next[queue] = *place;
  if (*place == none) tail_[queue] = at;
  *place = at;
}

void Scheduler::pop(Queues queue) {
  head_[queue] = tile_at(head_[queue]).next[queue];
}

// Selection.

Scheduler::Source Scheduler::choose_io() const {
  // Starts take input buffers in order: the first one, when it waits for several, keeps those that become free.
  const TileId* const heads[] = {&tile_at(head_[moves]).id, &tile_at(head_[reads]).id, &first_};
  const bool fits[] = {true, free_of(Pool::weights) != 0, can_open()};
  const TileId* first = &tile_at(none).id;
  Source source = Source::nothing;
  for (std::uint32_t i = 0; i < 3; ++i) {
    if (!heads[i]->before(*first) || !(fits[i] || plan_.queue == Queue::strict)) continue;
    first = heads[i];
    source = fits[i] ? static_cast<Source>(i) : Source::nothing;
  }
  return source;
}

Scheduler::Offset Scheduler::choose_compute() const {
  const Offset step = head_[steps];
  const Offset start = head_[starts];
  if (!tile_at(start).id.before(tile_at(step).id)) return step;
  if (free_of(Pool::output) != 0) return start;
  return plan_.queue == Queue::strict ? none : step;
}

std::optional<Task> Scheduler::select(TaskKind kind, std::uint32_t index, Offset tile, Offset weights) {
  selected_[selected_count_++] = {tile, weights, index, kind};
  return task_of(tile_at(tile).id, kind, index);
}

/// The first part from `from` on that has something to give to the tile, or the number of parts.
std::uint32_t Scheduler::existing_part(std::uint32_t layer_index, std::uint32_t tile, std::uint32_t from) const {
  const Layer& layer = plan_.layers[layer_index];
  while (from < layer.parts && !part_exists(layer, plan_.parts[layer.first_part + from], tile))
    ++from;
  return from;
}

/// Whether the first ready tile, if there is one, can take what it needs to begin.
inline bool Scheduler::can_open() const {
  const Layer& layer = plan_.layers[first_.layer];
  if (layer.input_buffers > free_of(Pool::input)) return false;
  if (!layer.has_pins()) return !with_pins || tickets_ != 0;
  if (holds_pins(first_)) return tickets_ != 0 || layer.keeps_output();
  return layer.weight_pins <= free_of(Pool::weights) && layer.output_pins <= free_of(Pool::output) && tickets_ != 0 &&
         layer.output_pins <= tickets_;
}

/// Makes the first ready tile one that holds its input buffers.
inline void Scheduler::open_tile() {
  const Offset at = free_tile_;
  Tile& tile = tile_at(at);
  free_tile_ = tile.next[0];
  tile = {};
  tile.id = first_;
  bits_[first_.place / 32].ready &= ~(1U << (first_.place % 32));

  const Layer& layer = plan_.layers[tile.id.layer];
  if (layer.has_pins() && !holds_pins(tile.id)) take_pins(layer);
  find_first();
  tile.chunks = chunks_of(layer, tile.id.tile);
  for (std::uint32_t i = layer.input_buffers; i > 0; --i)
    take(Pool::input, tile.input);
  if (layer.keeps_output()) {
    tile.output = holder_.next_output;
    holder_.next_output = buffer_at(tile.output).next;
  } else if (with_pins) {
    --tickets_;
  }
  tile.next_part = existing_part(tile.id.layer, tile.id.tile, 0);
  if (!with_pins || tile.input != none) {
    insert(moves, at);
  } else {
    input_complete(at);
  }
}

/// A tile that reads nothing from the card begins as soon as it can: no selection stands for it. Its input is kept, so
/// that somebody holds pins.
inline void Scheduler::open_tiles_without_input() {
  while (with_pins && holder_.frame != no_frame && first_.frame != no_frame &&
         plan_.layers[first_.layer].input_buffers == 0 && can_open())
    open_tile();
}

std::optional<Task> Scheduler::select_io() {
  if (done() || selected_count_ == max_selected) return {};
  const Source source = choose_io();
  if (source == Source::nothing) return {};
  if (source == Source::weights) {
    const Offset at = head_[reads];
    Tile& tile = tile_at(at);
    Offset& end = tile.weights_head == none ? tile.weights_head : buffer_at(tile.weights_tail).next;
    tile.weights_tail = take(Pool::weights, end);
    const std::uint32_t chunk = tile.next_read++;
    if (tile.next_read == tile.chunks) pop(reads);
    return select(TaskKind::read_weights, chunk, at, tile.weights_tail);
  }

  if (source == Source::start) {
    open_tile();
    open_tiles_without_input();
  }
  const Offset at = head_[moves];
  Tile& tile = tile_at(at);
  if (tile.input == none) {
    pop(moves);
    return select(TaskKind::write_output, 0, at, none);
  }
  const std::uint32_t part = tile.next_part, parts = plan_.layers[tile.id.layer].parts;
  if (with_pins && part == parts) {
    const Offset pin = tile.weights_tail;
    tile.weights_tail = buffer_at(pin).next;
    const std::uint32_t chunk = tile.next_read++;
    if (tile.next_read == tile.chunks) pop(moves);
    return select(TaskKind::read_weights, chunk, at, pin);
  }
  tile.next_part = existing_part(tile.id.layer, tile.id.tile, part + 1);
  ++tile.reading;
  if (tile.next_part == parts) pop(moves);
  return select(TaskKind::read_input, part, at, none);
}

std::optional<Task> Scheduler::select_compute() {
  if (done() || selected_count_ == max_selected) return {};
  const Offset at = choose_compute();
  if (at == none) return {};
  Tile& tile = tile_at(at);
  if (tile.output != none) {
    pop(steps);
  } else {
    pop(starts);
    take(Pool::output, tile.output);
  }
  return select(TaskKind::compute, tile.next_compute, at, tile.weights_head);
}

// Completion.

inline bool Scheduler::exists(const Task& task) const {
  if (task.frame >= plan_.frames || task.layer >= layers()) return false;
  const Layer& layer = plan_.layers[task.layer];
  if (task.tile >= layer.tiles()) return false;
  switch (task.kind) {
    case TaskKind::read_input:
      return task.index < layer.parts && existing_part(task.layer, task.tile, task.index) == task.index;
    case TaskKind::read_weights:
      if (!reads_weights(layer, task.tile)) return false;
      [[fallthrough]];
    case TaskKind::compute:
      return task.index < chunks_of(layer, task.tile);
    case TaskKind::write_output:
      return task.index == 0 && !layer.keeps_output();
  }
  return false;
}

/// Where a task stands among the selected ones, or their number.
std::uint32_t Scheduler::find(const Task& task) const {
  std::uint32_t at = 0;
  while (at < selected_count_ &&
         task_of(tile_at(selected_[at].tile).id, selected_[at].kind, selected_[at].index) != task)
    ++at;
  return at;
}

Status Scheduler::finish(const Task& task) {
  const std::uint32_t found = find(task);
  if (found == selected_count_) return exists(task) ? Status::not_selected : Status::unknown_task;
  const Offset at = selected_[found].tile;
  const Offset weights = selected_[found].weights;
  selected_[found] = selected_[--selected_count_];
  Tile& tile = tile_at(at);
  const Layer& layer = plan_.layers[tile.id.layer];
  switch (task.kind) {
    case TaskKind::read_input:
      if (--tile.reading == 0 && tile.next_part == layer.parts) input_complete(at);
      break;
    case TaskKind::read_weights:
      buffer_at(weights).loaded = 1;
      weights_loaded(at, weights);
      break;
    case TaskKind::compute:
      finish_compute(at);
      break;
    case TaskKind::write_output:
      give(Pool::output, tile.output);
      tile_done(at);
      break;
  }
  open_tiles_without_input();
  return Status::ok;
}

/// The tile needs its weights now, or computes where it has none.
inline void Scheduler::input_complete(Offset at) {
  Tile& tile = tile_at(at);
  const Layer& layer = plan_.layers[tile.id.layer];
  if (layer.weights_outside()) {
    tile.weights_head = tile.weights_tail = holder_.weights;
    if (reads_weights(layer, tile.id.tile)) insert(moves, at);
    if (buffer_at(tile.weights_head).loaded != 0) offer_compute(at);
  } else if (layer.has_weights()) {
    insert(reads, at);
  } else {
    offer_compute(at);
  }
}

/// Offers the tiles that wait for a buffer's weights.
inline void Scheduler::weights_loaded(Offset at, Offset weights) {
  if (!plan_.layers[tile_at(at).id.layer].weights_outside()) {
    if (tile_at(at).weights_head == weights) offer_compute(at);
    return;
  }
  for (Offset other = tile_bytes; other != first_buffer_[0]; other += tile_bytes) {
    if (tile_at(other).weights_head == weights) offer_compute(other);
  }
}

[[gnu::always_inline]] inline void Scheduler::finish_compute(Offset at) {
  Tile& tile = tile_at(at);
  const Layer& layer = plan_.layers[tile.id.layer];
  if (layer.weights_outside()) {
    tile.weights_head = buffer_at(tile.weights_head).next;
  } else if (tile.weights_head != none) {
    give(Pool::weights, tile.weights_head);
  }
  if (++tile.next_compute < tile.chunks) {
    if (tile.weights_head != none && buffer_at(tile.weights_head).loaded != 0) offer_compute(at);
    return;
  }
  tile.weights_head = none;
  while (tile.input != none)
    give(Pool::input, tile.input);
  if (layer.keeps_output()) {
    tile_done(at);
  } else {
    if (with_pins) ++tickets_;
    insert(moves, at);
  }
  if (with_pins && tile.id.frame == holder_.frame) computed_with_pins(tile.id);
}

/// The tile's output is where its readers take it from.
inline void Scheduler::tile_done(Offset at) {
  Tile& tile = tile_at(at);
  tile.next[0] = free_tile_;
  free_tile_ = at;

  const TileId& id = tile.id;
  Flight& flight = flight_at(id.flight);
  bits_[id.place / 32].written |= 1U << (id.place % 32);
  --progress(flight, id.layer).tiles_left;
  const Layer& layer = plan_.layers[id.layer];
  const Box written = outputs_of(Axes(layer), id.tile);
  for (const LayerIndex consumer : plan_.consumers.subspan(layer.first_consumer, layer.consumers))
    release(flight, consumer, id.layer, written);
  if (--flight.tiles_left == 0) {
    --frames_left_;
    if (plan_.frames - id.frame > plan_.window) start_frame(flight, id.frame + plan_.window);
  }
  find_first();
}

// What a driver may ask.

/// The number of a buffer in its pool.
BufferIndex Scheduler::number(Pool pool, Offset buffer) const {
  return buffer == none ? no_buffer : static_cast<BufferIndex>((buffer - first_buffer_[pool_of(pool)]) / buffer_bytes);
}

Grant Scheduler::grant(const Task& task) const {
  const std::uint32_t found = find(task);
  if (found == selected_count_) return {};
  const Selected& selected = selected_[found];
  const Tile& tile = tile_at(selected.tile);
  return {number(Pool::input, tile.input), number(Pool::weights, selected.weights), number(Pool::output, tile.output)};
}

BufferIndex Scheduler::next_buffer(BufferIndex buffer) const {
  return number(Pool::input, buffer_at(first_buffer_[0] + buffer * buffer_bytes).next);
}

}  // namespace spillway::core
