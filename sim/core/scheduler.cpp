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
  return in_claim && pools.output < pools.input ? Status::output_pool_small : Status::ok;
}

Status Scheduler::start(const Plan& plan, std::span<std::uint32_t> storage) {
  frames_left_ = frame_words_ = in_flight_ = ready_total_ = selected_count_ = 0;
  free_tile_ = none;
  if (const Status status = check(plan); status != Status::ok) return status;
  const PlanSize size = size_of(plan);
  if (storage.size() < storage_words(size)) return Status::storage_small;
  for (std::uint32_t& word : storage)
    word = 0;
  std::uint32_t* next = storage_ = storage.data();
  const auto carve = [&next](std::uint32_t words) {
    next += words;
    return next - words;
  };

  plan_ = plan;
  layers_ = size.layers;
  window_ = size.window;
  layer_words_ = (layers_ + 31) / 32;
  frames_left_ = plan.frames;
  first_place_ = carve(layers_);
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    first_place_[layer] = frame_words_ * 32;
    frame_words_ += (plan.layers[layer].tiles() + 31) / 32;
  }
  progress_ = reinterpret_cast<Progress*>(carve(window_ * layers_ * words_of(sizeof(Progress))));
  done_ = carve(window_ * frame_words_);
  ready_ = carve(window_ * frame_words_);
  ready_layers_ = carve(window_ * layer_words_);
  slots_ = reinterpret_cast<Slot*>(carve(window_ * words_of(sizeof(Slot))));
  order_ = carve(window_);

  // Free buffers and free tile records form chains.
  const std::uint16_t sizes[] = {plan.pools.input, plan.pools.weights, plan.pools.output};
  const auto offset = [&] { return static_cast<Offset>(next - storage_); };
  for (std::uint32_t pool = 0; pool < 3; ++pool) {
    if (pool == 0 || !plan.pools.shared) pools_[pool] = {offset(), none, 0};
    for (std::uint32_t i = 0; i < sizes[pool]; ++i) {
      give(static_cast<Pool>(pool), offset());
      carve(words_of(sizeof(Buffer)));
    }
  }
  for (std::uint32_t i = active_tiles(plan.pools); i > 0; --i) {
    tile_at(offset()).next[0] = free_tile_;
    free_tile_ = offset();
    carve(words_of(sizeof(Tile)));
  }
  for (Line& line : lines_)
    line = {none, none};
  for (std::uint32_t slot = 0; slot < window_; ++slot)
    start_frame(slot, slot);
  return Status::ok;
}

// Pools.

Scheduler::Offset Scheduler::take(Pool pool) {
  BufferPool& from = pools_[pool_of(pool)];
  const Offset buffer = from.free;
  from.free = buffer_at(buffer).next;
  --from.free_count;
  buffer_at(buffer) = {none, 0};
  return buffer;
}

void Scheduler::give(Pool pool, Offset buffer) {
  BufferPool& to = pools_[pool_of(pool)];
  buffer_at(buffer).next = to.free;
  to.free = buffer;
  ++to.free_count;
}

// Queues: lists in the order of priority. New tiles mostly belong at one of the two ends.

void Scheduler::insert(Queues queue, Offset at) {
  Line& line = lines_[queue];
  const std::uint32_t link = queue / 2;
  Tile& tile = tile_at(at);
  Offset previous = line.tail;
  Offset next = none;
  if (previous != none && tile.id.priority < tile_at(previous).id.priority) {
    next = line.head;
    while (tile_at(next).id.priority < tile.id.priority)
      next = tile_at(next).next[link];
    previous = tile_at(next).previous[link];
  }
  tile.previous[link] = previous;
  tile.next[link] = next;
  (previous == none ? line.head : tile_at(previous).next[link]) = at;
  (next == none ? line.tail : tile_at(next).previous[link]) = at;
}

void Scheduler::remove(Queues queue, Offset at) {
  Line& line = lines_[queue];
  const std::uint32_t link = queue / 2;
  const Offset previous = tile_at(at).previous[link];
  const Offset next = tile_at(at).next[link];
  (previous == none ? line.head : tile_at(previous).next[link]) = next;
  (next == none ? line.tail : tile_at(next).previous[link]) = previous;
}

// Selection.

bool Scheduler::first_ready(TileId& found) const {
  if (ready_total_ == 0) return false;
  const std::uint32_t* order = order_;
  while (slots_[*order].ready == 0)
    ++order;
  const std::uint32_t slot = *order;

  const auto first_bit = [](const std::uint32_t* words, std::uint32_t word) {
    while (words[word] == 0)
      ++word;
    return word * 32 + static_cast<std::uint32_t>(__builtin_ctz(words[word]));
  };
  const std::uint32_t layer = first_bit(ready_layers_ + slot * layer_words_, 0);
  Progress& at = progress(slot, layer);
  const std::uint32_t tile = first_bit(&word_of(ready_, slot, first_place_[layer]), at.first_ready);
  at.first_ready = tile / 32;
  found = {{slots_[slot].frame, place_of(layer, tile)}, slot, layer, tile};
  return true;
}

Scheduler::Source Scheduler::choose_io(TileId& start) const {
  const bool strict = plan_.queue == Queue::strict;
  const Offset move = lines_[moves].head;
  const Offset read = lines_[reads].head;
  Source source = Source::nothing;
  Priority first{none, none};
  if (move != none) {
    first = tile_at(move).id.priority;
    source = Source::move;
  }
  const bool weights_free = free_of(Pool::weights) != 0;
  if (read != none && (strict || weights_free) && tile_at(read).id.priority < first) {
    first = tile_at(read).id.priority;
    source = weights_free ? Source::weights : Source::nothing;
  }
  // Starts take input buffers in order: the first one, when it waits for several, keeps those that become free.
  const std::uint32_t input_free = free_of(Pool::input);
  if ((strict || input_free != 0) && first_ready(start) && start.priority < first) {
    const bool fits = plan_.layers[start.layer].input_buffers <= input_free;
    if (fits || strict) source = fits ? Source::start : Source::nothing;
  }
  return source;
}

Scheduler::Offset Scheduler::choose_compute() const {
  const Offset step = lines_[steps].head;
  const Offset start = lines_[starts].head;
  if (start == none || (step != none && tile_at(step).id.priority < tile_at(start).id.priority)) return step;
  if (free_of(Pool::output) != 0) return start;
  return plan_.queue == Queue::strict ? none : step;
}

Task Scheduler::select(TaskKind kind, std::uint32_t index, Offset tile, Offset weights) {
  Selected& selected = selected_[selected_count_++];
  selected = {task_of(tile_at(tile).id, kind, index), tile, weights};
  return selected.task;
}

/// The first part from `from` on that has something to give to the tile, or the number of parts.
std::uint32_t Scheduler::existing_part(const TileId& id, std::uint32_t from) const {
  const Layer& layer = plan_.layers[id.layer];
  while (from < layer.parts && !part_exists(layer, plan_.parts[layer.first_part + from], id.tile))
    ++from;
  return from;
}

Scheduler::Offset Scheduler::open_tile(const TileId& id) {
  const Offset at = free_tile_;
  Tile& tile = tile_at(at);
  free_tile_ = tile.next[0];
  clear_ready(id);

  const Layer& layer = plan_.layers[id.layer];
  tile = {};
  tile.id = id;
  tile.chunks = chunks_of(layer, id.tile);
  tile.input = tile.output = tile.weights_head = none;
  for (std::uint32_t i = 0; i < layer.input_buffers; ++i) {
    const Offset buffer = take(Pool::input);
    buffer_at(buffer).next = tile.input;
    tile.input = buffer;
  }
  tile.next_part = existing_part(id, 0);
  for (std::uint32_t part = tile.next_part; part < layer.parts; part = existing_part(id, part + 1))
    ++tile.parts_left;
  insert(moves, at);
  return at;
}

std::optional<Task> Scheduler::select_io() {
  TileId start;
  const Source source = selected_count_ == max_selected ? Source::nothing : choose_io(start);
  if (source == Source::nothing) return {};
  if (source == Source::weights) {
    const Offset at = lines_[reads].head;
    Tile& tile = tile_at(at);
    const Offset buffer = take(Pool::weights);
    (tile.weights_head == none ? tile.weights_head : buffer_at(tile.weights_tail).next) = buffer;
    tile.weights_tail = buffer;
    const std::uint32_t chunk = tile.next_read++;
    if (tile.next_read == tile.chunks) remove(reads, at);
    return select(TaskKind::read_weights, chunk, at, buffer);
  }

  const Offset at = source == Source::start ? open_tile(start) : lines_[moves].head;
  Tile& tile = tile_at(at);
  TaskKind kind = TaskKind::write_output;
  std::uint32_t part = 0;
  bool last = true;
  if (tile.next_compute != tile.chunks) {
    kind = TaskKind::read_input;
    part = tile.next_part;
    tile.next_part = existing_part(tile.id, part + 1);
    last = tile.next_part == plan_.layers[tile.id.layer].parts;
  }
  if (last) remove(moves, at);
  return select(kind, part, at, none);
}

std::optional<Task> Scheduler::select_compute() {
  const Offset at = selected_count_ == max_selected ? none : choose_compute();
  if (at == none) return {};
  Tile& tile = tile_at(at);
  remove(tile.output == none ? starts : steps, at);
  if (tile.output == none) tile.output = take(Pool::output);
  tile.computing = 1;
  return select(TaskKind::compute, tile.next_compute, at, tile.weights_head);
}

// Completion.

bool Scheduler::exists(const Task& task) const {
  if (task.frame >= plan_.frames || task.layer >= layers_) return false;
  const Layer& layer = plan_.layers[task.layer];
  if (task.tile >= layer.tiles()) return false;
  if (task.kind == TaskKind::read_input) {
    return task.index < layer.parts && part_exists(layer, plan_.parts[layer.first_part + task.index], task.tile);
  }
  if (task.kind == TaskKind::write_output) return task.index == 0;
  return task.index < chunks_of(layer, task.tile) && (task.kind == TaskKind::compute || layer.has_weights());
}

const Scheduler::Selected* Scheduler::find(const Task& task) const {
  for (std::uint32_t at = 0; at < selected_count_; ++at) {
    if (selected_[at].task == task) return &selected_[at];
  }
  return nullptr;
}

Status Scheduler::finish(const Task& task) {
  const Selected* const found = find(task);
  if (found == nullptr) return exists(task) ? Status::not_selected : Status::unknown_task;
  const Offset at = found->tile;
  const Offset weights = found->weights;
  selected_[found - selected_] = selected_[--selected_count_];
  Tile& tile = tile_at(at);
  switch (task.kind) {
    case TaskKind::read_input:
      if (--tile.parts_left != 0) break;
      if (plan_.layers[tile.id.layer].has_weights()) {
        insert(reads, at);
      } else {
        offer_compute(at);
      }
      break;
    case TaskKind::read_weights:
      buffer_at(weights).loaded = 1;
      if (tile.weights_head == weights && tile.computing == 0) offer_compute(at);
      break;
    case TaskKind::compute:
      finish_compute(at);
      break;
    case TaskKind::write_output:
      finish_output(at);
      break;
  }
  return Status::ok;
}

void Scheduler::finish_compute(Offset at) {
  Tile& tile = tile_at(at);
  tile.computing = 0;
  ++tile.next_compute;
  if (const Offset buffer = tile.weights_head; buffer != none) {
    tile.weights_head = buffer_at(buffer).next;
    give(Pool::weights, buffer);
  }
  if (tile.next_compute < tile.chunks) {
    if (tile.weights_head != none && buffer_at(tile.weights_head).loaded != 0) offer_compute(at);
    return;
  }
  while (tile.input != none) {
    const Offset buffer = tile.input;
    tile.input = buffer_at(buffer).next;
    give(Pool::input, buffer);
  }
  insert(moves, at);
}

void Scheduler::finish_output(Offset at) {
  Tile& tile = tile_at(at);
  give(Pool::output, tile.output);
  tile.next[0] = free_tile_;
  free_tile_ = at;

  const TileId id = tile.id;
  word_of(done_, id.slot, id.priority.place) |= 1U << (id.priority.place % 32);
  --progress(id.slot, id.layer).tiles_left;
  release_consumers(id);
  if (--slots_[id.slot].tiles_left != 0) return;

  --frames_left_;
  --in_flight_;
  std::uint32_t* order = order_;
  while (*order != id.slot)
    ++order;
  for (; order != order_ + in_flight_; ++order)
    order[0] = order[1];
  if (plan_.frames - id.priority.frame > window_) start_frame(id.priority.frame + window_, id.slot);
}

// What a driver may ask.

std::uint32_t Scheduler::frames_done() const {
  return plan_.frames - frames_left_;
}

bool Scheduler::stalled() const {
  TileId start;
  return selected_count_ == 0 && !done() && choose_io(start) == Source::nothing && choose_compute() == none;
}

std::uint32_t Scheduler::waiting(std::span<Waiting, 3> out) const {
  std::uint32_t count = 0;
  const auto add = [&](const TileId& id, TaskKind kind, std::uint32_t index, Pool pool, std::uint16_t needed) {
    const std::uint16_t free = free_buffers(pool);
    if (free < needed) out[count++] = {task_of(id, kind, index), pool, needed, free};
  };
  TileId start;
  if (first_ready(start)) {
    add(start, TaskKind::read_input, existing_part(start, 0), Pool::input, plan_.layers[start.layer].input_buffers);
  }
  if (const Offset read = lines_[reads].head; read != none) {
    add(tile_at(read).id, TaskKind::read_weights, tile_at(read).next_read, Pool::weights, 1);
  }
  if (const Offset first = lines_[starts].head; first != none) {
    add(tile_at(first).id, TaskKind::compute, 0, Pool::output, 1);
  }
  return count;
}

Grant Scheduler::grant(const Task& task) const {
  const Selected* const found = find(task);
  if (found == nullptr) return {};
  const auto number = [this](Pool pool, Offset buffer) {
    const Offset first = pools_[pool_of(pool)].first;
    return buffer == none ? no_buffer : static_cast<BufferIndex>((buffer - first) / words_of(sizeof(Buffer)));
  };
  const Tile& tile = tile_at(found->tile);
  return {number(Pool::input, tile.input), number(Pool::weights, found->weights), number(Pool::output, tile.output)};
}

BufferIndex Scheduler::next_buffer(BufferIndex buffer) const {
  const Offset first = pools_[0].first;
  const Offset next = buffer_at(first + buffer * words_of(sizeof(Buffer))).next;
  return next == none ? no_buffer : static_cast<BufferIndex>((next - first) / words_of(sizeof(Buffer)));
}

std::uint16_t Scheduler::free_buffers(Pool pool) const {
  return static_cast<std::uint16_t>(free_of(pool));
}

}  // namespace spillway::core
