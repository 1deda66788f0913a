#include "sim/core/scheduler.hpp"

#include "sim/core/geometry.hpp"

namespace spillway::core {

PlanSize size_of(const Plan& plan) {
  PlanSize size{static_cast<std::uint32_t>(plan.layers.size()), 0, plan.pools,
                plan.window < plan.frames ? plan.window : plan.frames};
  for (const Layer& layer : plan.layers)
    size.tiles += layer.tiles();
  return size;
}

Status Scheduler::check(const Plan& plan) {
  if (plan.layers.empty() || plan.frames == 0 || plan.window == 0) return Status::no_layers;
  const Pools& pools = plan.pools;
  if (pools.input == 0 || pools.weights == 0 || pools.output == 0) return Status::too_few_buffers;
  for (const Layer& layer : plan.layers) {
    if (layer.tiles() == 0 || layer.parts == 0 || layer.chunks == 0) return Status::no_layers;
    if (layer.input_buffers > (pools.shared ? pools.total() : pools.input)) return Status::input_pool_small;
  }
  const bool in_claim = !pools.shared && plan.queue == Queue::skip;
  if (in_claim && pools.output < pools.input) return Status::output_pool_small;
  return Status::ok;
}

Status Scheduler::start(const Plan& plan, std::span<std::uint32_t> storage) {
  *this = Scheduler{};
  if (const Status status = check(plan); status != Status::ok) return status;
  const PlanSize size = size_of(plan);
  if (storage.size() < storage_words(size)) return Status::storage_small;

  plan_ = plan;
  layers_ = size.layers;
  window_ = size.window;
  layer_words_ = (layers_ + 31) / 32;
  frames_left_ = plan.frames;

  std::uint32_t* next = storage.data();
  const auto carve = [&next](std::uint32_t words) {
    std::uint32_t* const begin = next;
    for (std::uint32_t i = 0; i < words; ++i)
      *next++ = 0;
    return begin;
  };
  bit_base_ = carve(layers_);
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    bit_base_[layer] = frame_words_;
    frame_words_ += (plan.layers[layer].tiles() + 31) / 32;
  }
  progress_ = reinterpret_cast<Progress*>(carve(window_ * layers_ * words_of(sizeof(Progress))));
  done_ = carve(window_ * frame_words_);
  ready_ = carve(window_ * frame_words_);
  ready_layers_ = carve(window_ * layer_words_);
  slots_ = reinterpret_cast<Slot*>(carve(window_ * words_of(sizeof(Slot))));
  order_ = carve(window_);

  const Pools& pools = plan.pools;
  const std::uint32_t active = pools.shared ? pools.total() : pools.input + pools.output;
  tiles_ = reinterpret_cast<Tile*>(carve(active * words_of(sizeof(Tile))));
  for (std::uint32_t tile = 0; tile < active; ++tile)
    tiles_[tile].io_next = tile + 1 < active ? tile + 1 : none;
  free_tile_ = 0;

  buffers_ = reinterpret_cast<Buffer*>(carve(pools.total() * words_of(sizeof(Buffer))));
  const std::uint16_t sizes[3] = {pools.input, pools.weights, pools.output};
  std::uint32_t base = 0;
  for (std::uint32_t pool = 0; pool < (pools.shared ? 1 : 3); ++pool) {
    const std::uint32_t count = pools.shared ? pools.total() : sizes[pool];
    pool_base_[pool] = static_cast<std::uint16_t>(base);
    free_[pool] = static_cast<std::uint16_t>(count);
    free_head_[pool] = base;
    for (std::uint32_t i = 0; i < count; ++i, ++base)
      buffers_[base].next = i + 1 < count ? base + 1 : none;
  }

  moves_ = reads_ = steps_ = starts_ = {none, none};
  for (std::uint32_t slot = 0; slot < window_; ++slot)
    start_frame(slot, slot);
  return Status::ok;
}

// Pools: free buffers form a chain.

Scheduler::Index Scheduler::take(Pool pool) {
  const std::uint32_t at = pool_of(pool);
  const Index buffer = free_head_[at];
  free_head_[at] = buffers_[buffer].next;
  --free_[at];
  buffers_[buffer] = {none, 0};
  return buffer;
}

void Scheduler::give(Pool pool, Index buffer) {
  const std::uint32_t at = pool_of(pool);
  buffers_[buffer].next = free_head_[at];
  free_head_[at] = buffer;
  ++free_[at];
}

// Queues: lists in the order of priority. New tiles mostly belong at one of the two ends.

bool Scheduler::before(const Tile& a, const Tile& b) const {
  if (a.frame != b.frame) return a.frame < b.frame;
  if (a.layer != b.layer) return a.layer < b.layer;
  return a.tile < b.tile;
}

bool Scheduler::before(const Ready& a, const Tile& b) const {
  const std::uint32_t frame = slots_[a.slot].frame;
  if (frame != b.frame) return frame < b.frame;
  if (a.layer != b.layer) return a.layer < b.layer;
  return a.tile < b.tile;
}

template <Scheduler::Index Scheduler::Tile::*Previous, Scheduler::Index Scheduler::Tile::*Next>
void Scheduler::insert(Line& line, Index tile) {
  Index previous = line.tail;
  Index next = none;
  if (previous != none && before(tiles_[tile], tiles_[previous])) {
    next = line.head;
    while (before(tiles_[next], tiles_[tile]))
      next = tiles_[next].*Next;
    previous = tiles_[next].*Previous;
  }
  tiles_[tile].*Previous = previous;
  tiles_[tile].*Next = next;
  (previous == none ? line.head : tiles_[previous].*Next) = tile;
  (next == none ? line.tail : tiles_[next].*Previous) = tile;
}

template <Scheduler::Index Scheduler::Tile::*Previous, Scheduler::Index Scheduler::Tile::*Next>
void Scheduler::remove(Line& line, Index tile) {
  const Index previous = tiles_[tile].*Previous;
  const Index next = tiles_[tile].*Next;
  (previous == none ? line.head : tiles_[previous].*Next) = next;
  (next == none ? line.tail : tiles_[next].*Previous) = previous;
}

// Selection.

bool Scheduler::first_ready(Ready& found) const {
  if (ready_total_ == 0) return false;
  std::uint32_t slot = order_[0];
  for (std::uint32_t i = 0; slots_[slot].ready == 0;)
    slot = order_[++i];
  const std::uint32_t* layers = ready_layers(slot);
  std::uint32_t word = 0;
  while (layers[word] == 0)
    ++word;
  const std::uint32_t layer = word * 32 + static_cast<std::uint32_t>(__builtin_ctz(layers[word]));
  Progress& at = progress(slot, layer);
  const std::uint32_t* bits = ready_bits(slot, layer);
  word = at.first_ready / 32;
  while (bits[word] == 0)
    ++word;
  at.first_ready = word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits[word]));
  found = {slot, layer, at.first_ready};
  return true;
}

/// With one shared pool: whether a ready tile of higher priority waits for several buffers, so that `tile` may not take
/// one. (With pools apart only starts compete for input buffers, and those are taken in order.)
bool Scheduler::kept_for_start(const Tile& tile) const {
  if (!plan_.pools.shared || plan_.queue == Queue::strict) return false;
  for (std::uint32_t i = 0; i < in_flight_; ++i) {
    const std::uint32_t slot = order_[i];
    if (slots_[slot].frame > tile.frame) break;
    for (std::uint32_t layer = 0; layer < layers_; ++layer) {
      const Progress& at = progress(slot, layer);
      const std::uint32_t needed = plan_.layers[layer].input_buffers;
      if (at.ready == 0 || needed < 2 || needed <= free_[0]) continue;
      const std::uint32_t* bits = ready_bits(slot, layer);
      std::uint32_t word = at.first_ready / 32;
      while (bits[word] == 0)
        ++word;
      const std::uint32_t first = word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits[word]));
      if (before(Ready{slot, layer, first}, tile)) return true;
    }
  }
  return false;
}

Scheduler::Choice Scheduler::choose_io() const {
  const bool strict = plan_.queue == Queue::strict;
  Choice choice;
  if (moves_.head != none) choice = {Source::move, moves_.head, {}};

  const bool weights_free = free_[pool_of(Pool::weights)] != 0;
  if (reads_.head != none && (strict || weights_free)) {
    const Tile& tile = tiles_[reads_.head];
    if ((choice.tile == none || before(tile, tiles_[choice.tile])) && !kept_for_start(tile)) {
      choice = {Source::weights, reads_.head, {}};
    }
  }

  const std::uint16_t input_free = free_[pool_of(Pool::input)];
  Ready ready;
  if ((strict || input_free != 0) && first_ready(ready) &&
      (choice.tile == none || before(ready, tiles_[choice.tile]))) {
    const bool fits = plan_.layers[ready.layer].input_buffers <= input_free;
    if (fits) return {Source::start, none, ready};
    if (strict) return {};
  }
  if (choice.source == Source::weights && !weights_free) return {};
  return choice;
}

Scheduler::Index Scheduler::choose_compute() const {
  const Index step = steps_.head;
  const Index start = starts_.head;
  if (start == none) return step;
  const bool first = step == none || before(tiles_[start], tiles_[step]);
  if (!first) return step;
  if (free_[pool_of(Pool::output)] != 0 && !kept_for_start(tiles_[start])) return start;
  return plan_.queue == Queue::strict ? none : step;
}

Task Scheduler::select(Task task, Index tile, Index buffer) {
  selected_[selected_count_++] = {task, tile, buffer};
  return task;
}

/// Moves next_part on to a part that exists for the tile, or to the number of parts.
void Scheduler::next_existing_part(Tile& tile) const {
  const Layer& layer = plan_.layers[tile.layer];
  while (tile.next_part < layer.parts &&
         input_region(layer, plan_.parts[layer.first_part + tile.next_part], tile.tile).channels.empty()) {
    ++tile.next_part;
  }
}

Scheduler::Index Scheduler::open_tile(const Ready& ready) {
  const Index index = free_tile_;
  Tile& tile = tiles_[index];
  free_tile_ = tile.io_next;
  clear_ready(ready);

  const Layer& layer = plan_.layers[ready.layer];
  tile = {};
  tile.frame = slots_[ready.slot].frame;
  tile.layer = ready.layer;
  tile.tile = ready.tile;
  tile.slot = ready.slot;
  tile.chunks = chunks_of(layer, ready.tile);
  tile.input = tile.output = tile.weights_head = tile.weights_tail = none;
  for (std::uint32_t i = 0; i < layer.input_buffers; ++i) {
    const Index buffer = take(Pool::input);
    buffers_[buffer].next = tile.input;
    tile.input = buffer;
  }
  for (next_existing_part(tile); tile.next_part < layer.parts; ++tile.next_part, next_existing_part(tile)) {
    ++tile.parts_left;
  }
  tile.next_part = 0;
  next_existing_part(tile);
  insert<&Tile::io_previous, &Tile::io_next>(moves_, index);
  return index;
}

std::optional<Task> Scheduler::select_io() {
  if (selected_count_ == max_selected) return {};
  const Choice choice = choose_io();
  if (choice.source == Source::nothing) return {};
  const Index index = choice.source == Source::start ? open_tile(choice.ready) : choice.tile;
  Tile& tile = tiles_[index];
  Task task{tile.frame, tile.tile, 0, static_cast<LayerIndex>(tile.layer), TaskKind::read_weights};

  if (choice.source == Source::weights) {
    const Index buffer = take(Pool::weights);
    (tile.weights_head == none ? tile.weights_head : buffers_[tile.weights_tail].next) = buffer;
    tile.weights_tail = buffer;
    task.index = tile.next_read++;
    if (tile.next_read == tile.chunks) remove<&Tile::io_previous, &Tile::io_next>(reads_, index);
    return select(task, index, buffer);
  }
  if (tile.next_compute == tile.chunks) {
    task.kind = TaskKind::write_output;
    remove<&Tile::io_previous, &Tile::io_next>(moves_, index);
    return select(task, index, none);
  }
  task.kind = TaskKind::read_input;
  task.index = tile.next_part++;
  next_existing_part(tile);
  if (tile.next_part == plan_.layers[tile.layer].parts) remove<&Tile::io_previous, &Tile::io_next>(moves_, index);
  return select(task, index, none);
}

std::optional<Task> Scheduler::select_compute() {
  if (selected_count_ == max_selected) return {};
  const Index index = choose_compute();
  if (index == none) return {};
  Tile& tile = tiles_[index];
  if (tile.output == none) {
    remove<&Tile::compute_previous, &Tile::compute_next>(starts_, index);
    tile.output = take(Pool::output);
  } else {
    remove<&Tile::compute_previous, &Tile::compute_next>(steps_, index);
  }
  tile.computing = 1;
  return select({tile.frame, tile.tile, tile.next_compute, static_cast<LayerIndex>(tile.layer), TaskKind::compute},
                index, tile.weights_head);
}

// Completion.

bool Scheduler::exists(const Task& task) const {
  if (task.frame >= plan_.frames || task.layer >= layers_) return false;
  const Layer& layer = plan_.layers[task.layer];
  if (task.tile >= layer.tiles()) return false;
  switch (task.kind) {
    case TaskKind::read_input:
      return task.index < layer.parts &&
             !input_region(layer, plan_.parts[layer.first_part + task.index], task.tile).channels.empty();
    case TaskKind::read_weights:
      return layer.has_weights() && task.index < chunks_of(layer, task.tile);
    case TaskKind::compute:
      return task.index < chunks_of(layer, task.tile);
    case TaskKind::write_output:
      return task.index == 0;
  }
  return false;
}

Status Scheduler::finish(const Task& task) {
  std::uint32_t at = 0;
  while (at < selected_count_ && !(selected_[at].task == task))
    ++at;
  if (at == selected_count_) return exists(task) ? Status::not_selected : Status::unknown_task;
  const Index tile = selected_[at].tile;
  const Index buffer = selected_[at].buffer;
  selected_[at] = selected_[--selected_count_];
  switch (task.kind) {
    case TaskKind::read_input:
      finish_input(tile);
      break;
    case TaskKind::read_weights:
      finish_weights(tile, buffer);
      break;
    case TaskKind::compute:
      finish_compute(tile);
      break;
    case TaskKind::write_output:
      finish_output(tile);
      break;
  }
  return Status::ok;
}

void Scheduler::offer_compute(Index tile) {
  insert<&Tile::compute_previous, &Tile::compute_next>(tiles_[tile].output == none ? starts_ : steps_, tile);
}

void Scheduler::finish_input(Index index) {
  Tile& tile = tiles_[index];
  if (--tile.parts_left != 0) return;
  if (plan_.layers[tile.layer].has_weights()) {
    insert<&Tile::io_previous, &Tile::io_next>(reads_, index);
  } else {
    offer_compute(index);
  }
}

void Scheduler::finish_weights(Index index, Index buffer) {
  buffers_[buffer].loaded = 1;
  const Tile& tile = tiles_[index];
  if (tile.weights_head == buffer && tile.computing == 0) offer_compute(index);
}

void Scheduler::finish_compute(Index index) {
  Tile& tile = tiles_[index];
  tile.computing = 0;
  ++tile.next_compute;
  if (tile.weights_head != none) {
    const Index buffer = tile.weights_head;
    tile.weights_head = buffers_[buffer].next;
    give(Pool::weights, buffer);
  }
  if (tile.next_compute < tile.chunks) {
    if (tile.weights_head != none && buffers_[tile.weights_head].loaded != 0) offer_compute(index);
    return;
  }
  while (tile.input != none) {
    const Index buffer = tile.input;
    tile.input = buffers_[buffer].next;
    give(Pool::input, buffer);
  }
  insert<&Tile::io_previous, &Tile::io_next>(moves_, index);
}

void Scheduler::finish_output(Index index) {
  Tile& tile = tiles_[index];
  give(Pool::output, tile.output);
  const std::uint32_t slot = tile.slot, layer = tile.layer, number = tile.tile;
  tile.io_next = free_tile_;
  free_tile_ = index;

  done_bits(slot, layer)[number / 32] |= 1U << (number % 32);
  --progress(slot, layer).tiles_left;
  release_consumers(slot, layer, number);
  if (--slots_[slot].tiles_left != 0) return;

  const std::uint32_t frame = slots_[slot].frame;
  --frames_left_;
  std::uint32_t at = 0;
  while (order_[at] != slot)
    ++at;
  for (--in_flight_; at < in_flight_; ++at)
    order_[at] = order_[at + 1];
  if (plan_.frames - frame > window_) start_frame(frame + window_, slot);
}

// What a driver may ask.

std::uint32_t Scheduler::frames_done() const {
  return plan_.frames - frames_left_;
}

bool Scheduler::stalled() const {
  return selected_count_ == 0 && !done() && choose_io().source == Source::nothing && choose_compute() == none;
}

std::uint32_t Scheduler::waiting(std::span<Waiting, 3> out) const {
  std::uint32_t count = 0;
  const auto add = [&](const Task& task, Pool pool, std::uint16_t needed) {
    out[count++] = {task, pool, needed, free_[pool_of(pool)]};
  };
  Ready ready;
  if (first_ready(ready)) {
    const Layer& layer = plan_.layers[ready.layer];
    add({slots_[ready.slot].frame, ready.tile, 0, static_cast<LayerIndex>(ready.layer), TaskKind::read_input},
        Pool::input, layer.input_buffers);
  }
  if (reads_.head != none) {
    const Tile& tile = tiles_[reads_.head];
    add({tile.frame, tile.tile, tile.next_read, static_cast<LayerIndex>(tile.layer), TaskKind::read_weights},
        Pool::weights, 1);
  }
  if (starts_.head != none) {
    const Tile& tile = tiles_[starts_.head];
    add({tile.frame, tile.tile, 0, static_cast<LayerIndex>(tile.layer), TaskKind::compute}, Pool::output, 1);
  }
  return count;
}

Grant Scheduler::grant(const Task& task) const {
  const auto within = [this](Index buffer, Pool pool) {
    return buffer == none ? no_buffer : static_cast<BufferIndex>(buffer - pool_base_[pool_of(pool)]);
  };
  for (std::uint32_t at = 0; at < selected_count_; ++at) {
    if (!(selected_[at].task == task)) continue;
    const Tile& tile = tiles_[selected_[at].tile];
    return {within(tile.input, Pool::input), within(selected_[at].buffer, Pool::weights),
            within(tile.output, Pool::output)};
  }
  return {};
}

BufferIndex Scheduler::next_buffer(BufferIndex buffer) const {
  const Index next = buffers_[buffer].next;
  return next == none ? no_buffer : static_cast<BufferIndex>(next);
}

std::uint16_t Scheduler::free_buffers(Pool pool) const {
  return free_[pool_of(pool)];
}

}  // namespace spillway::core
