#include "sim/core/axes.hpp"
#include "sim/core/scheduler.hpp"

// Buffers that a layer holds beyond a tile: the weights of a group, and outputs kept for the next layer.
//
// No deadlock: all pins of a layer are taken together, when nobody else has any, and every tile that has begun and not
// computed has a ticket, of which there are as many as output buffers that are not pins. So whatever has begun ends
// without anything new being granted, and what waits for pins gets them.

namespace spillway::core {

/// Takes the pins of the layer of the first ready tile.
void Scheduler::take_pins(const Layer& layer) {
  holder_ = {first_.frame, first_.layer, none, none, none, layer.group_tiles(), layer.tiles()};
  for (std::uint32_t i = layer.weight_pins; i > 0; --i)
    take(Pool::weights, holder_.weights);
  for (std::uint32_t i = layer.output_pins; i > 0; --i)
    take(Pool::output, holder_.outputs);
  holder_.next_output = holder_.outputs;
  tickets_ -= layer.output_pins;
  if (layer.keeps_output()) holder_.tiles_left += plan_.layers[first_.layer + 1].tiles();
}

/// A tile of the holder's frame has computed.
void Scheduler::computed_with_pins(const TileId& id) {
  const Layer& layer = plan_.layers[holder_.layer];
  const bool reads_kept = layer.keeps_output() && id.layer == holder_.layer + 1;
  if (id.layer != holder_.layer && !reads_kept) return;
  if (--holder_.tiles_left == 0) {
    while (holder_.weights != none)
      give(Pool::weights, holder_.weights);
    while (holder_.outputs != none)
      give(Pool::output, holder_.outputs);
    tickets_ += layer.output_pins;
    holder_.frame = no_frame;
    find_first();
  } else if (!reads_kept && --holder_.group_left == 0 && layer.weights_outside()) {
    start_group(id);
  }
}

/// The group of a tile has computed: its weights are not needed any more, the next group can begin.
void Scheduler::start_group(const TileId& id) {
  const Layer& layer = plan_.layers[id.layer];
  for (Offset pin = holder_.weights; pin != none; pin = buffer_at(pin).next)
    buffer_at(pin).loaded = 0;
  const std::uint32_t first_channel = (id.tile / layer.group_tiles() + 1) * layer.tile_channels;
  if (first_channel >= layer.channels) return;
  holder_.group_left = layer.group_tiles();
  release(flight_at(id.flight), id.layer, plan_.parts[layer.first_part].producer, {}, first_channel);
  find_first();
}

/// Whether a ready tile's layer has pins and another one holds its pins now.
bool Scheduler::waits_for_holder(const TileId& tile) const {
  return holder_.frame != no_frame && plan_.layers[tile.layer].has_pins() && !holds_pins(tile);
}

/// Makes the first tile behind those that wait for the holder the first ready one, if the frame has any.
void Scheduler::pass_over(TileId tile) {
  const Flight& flight = flight_at(tile.flight);
  const std::uint32_t end = progress(flight, layers()).first_place / 32;
  while (waits_for_holder(tile)) {
    std::uint32_t word = progress(flight, tile.layer + 1).first_place / 32;
    while (word < end && bits_[word].ready == 0)
      ++word;
    if (word >= end) return;
    tile.place = word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits_[word].ready));
    while (progress(flight, tile.layer + 1).first_place <= tile.place)
      ++tile.layer;
    tile.tile = tile.place - progress(flight, tile.layer).first_place;
  }
  first_ = tile;
}

BufferIndex Scheduler::kept_buffer(std::uint32_t tile) const {
  Offset pin = holder_.frame == no_frame ? none : holder_.outputs;
  for (; pin != none && tile > 0; --tile)
    pin = buffer_at(pin).next;
  return number(Pool::output, pin);
}

}  // namespace spillway::core
