#include "sim/core/axes.hpp"
#include "sim/core/scheduler.hpp"

// Which tiles become ready when a tile has been written: successors and predecessors by arithmetic.

namespace spillway::core {
namespace {

bool reads_everything(const Layer& layer) {
  return layer.flattened || layer.waits_for_all;
}

bool bit(const std::uint32_t* words, std::uint32_t index) {
  return (words[index / 32] >> (index % 32) & 1U) != 0;
}

}  // namespace

void Scheduler::set_ready(std::uint32_t slot, std::uint32_t layer, std::uint32_t tile) {
  Progress& at = progress(slot, layer);
  const std::uint32_t place = place_of(layer, tile);
  word_of(ready_, slot, place) |= 1U << (place % 32);
  if (at.ready == 0 || tile / 32 < at.first_ready) at.first_ready = tile / 32;
  ++at.ready;
  ++slots_[slot].ready;
  ++ready_total_;
  ready_layers_[slot * layer_words_ + layer / 32] |= 1U << (layer % 32);
}

void Scheduler::clear_ready(const TileId& id) {
  const std::uint32_t place = id.priority.place;
  word_of(ready_, id.slot, place) &= ~(1U << (place % 32));
  if (--progress(id.slot, id.layer).ready == 0) {
    ready_layers_[id.slot * layer_words_ + id.layer / 32] &= ~(1U << (id.layer % 32));
  }
  --slots_[id.slot].ready;
  --ready_total_;
}

void Scheduler::start_frame(std::uint32_t frame, std::uint32_t slot) {
  slots_[slot] = {frame, 0, 0};
  std::uint32_t at = in_flight_++;
  for (; at > 0 && slots_[order_[at - 1]].frame > frame; --at)
    order_[at] = order_[at - 1];
  order_[at] = slot;

  for (std::uint32_t word = 0; word < frame_words_; ++word)
    done_[slot * frame_words_ + word] = 0;
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    progress(slot, layer) = {plan_.layers[layer].tiles(), 0, 0};
    slots_[slot].tiles_left += plan_.layers[layer].tiles();
  }
  for (std::uint32_t layer = 0; layer < layers_; ++layer) {
    const Layer& reader = plan_.layers[layer];
    release(slot, layer, {{{0, reader.groups}, {0, reader.rows}, {0, reader.columns}}});
  }
}

/// Whether all of a tile's input is on the card.
bool Scheduler::input_written(std::uint32_t slot, const Layer& layer, std::uint32_t tile) const {
  const Axes axes(layer);
  for (const Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
    if (part.producer == network_input || progress(slot, part.producer).tiles_left == 0) continue;
    if (reads_everything(layer)) return false;
    Box need = inputs_of(axes, part, outputs_of(axes, tile));
    if (need.empty()) continue;
    const std::uint32_t shift = part.producer_channel - part.first_channel;
    need.axis[0] = {need.axis[0].first + shift, need.axis[0].last + shift};
    const Layer& producer = plan_.layers[part.producer];
    const Box tiles = tiles_holding(Axes(producer), need);
    const std::uint32_t* done = &word_of(done_, slot, first_place_[part.producer]);
    // Tiles are mostly written in ascending order, so a missing one is found soonest from the end.
    for (std::uint32_t group = tiles.axis[0].last; group-- > tiles.axis[0].first;) {
      for (std::uint32_t row = tiles.axis[1].last; row-- > tiles.axis[1].first;) {
        const std::uint32_t line = (group * producer.rows + row) * producer.columns;
        for (std::uint32_t column = tiles.axis[2].last; column-- > tiles.axis[2].first;) {
          if (!bit(done, line + column)) return false;
        }
      }
    }
  }
  return true;
}

void Scheduler::release_consumers(const TileId& written) {
  const Layer& producer = plan_.layers[written.layer];
  for (const LayerIndex consumer : plan_.consumers.subspan(producer.first_consumer, producer.consumers)) {
    const Layer& reader = plan_.layers[consumer];
    const Axes axes(reader);
    for (const Part& part : plan_.parts.subspan(reader.first_part, reader.parts)) {
      if (part.producer != written.layer) continue;
      Box tiles{{{0, reader.groups}, {0, reader.rows}, {0, reader.columns}}};
      if (!reads_everything(reader)) {
        Box box = outputs_of(Axes(producer), written.tile);
        // The channels of the part that the tile holds, as the reader counts them.
        const std::uint32_t shift = part.first_channel - part.producer_channel;
        box.axis[0] = common(box.axis[0], {part.producer_channel, part.producer_channel + part.channels});
        if (box.empty()) continue;
        box.axis[0] = {box.axis[0].first + shift, box.axis[0].last + shift};
        tiles = tiles_reading(axes, box);
      }
      release(written.slot, consumer, tiles);
    }
  }
}

/// Makes those of a box of tiles ready whose input is complete.
void Scheduler::release(std::uint32_t slot, std::uint32_t consumer, const Box& tiles) {
  const Layer& reader = plan_.layers[consumer];
  const std::uint32_t* ready = &word_of(ready_, slot, first_place_[consumer]);
  for (std::uint32_t group = tiles.axis[0].first; group < tiles.axis[0].last; ++group) {
    for (std::uint32_t row = tiles.axis[1].first; row < tiles.axis[1].last; ++row) {
      for (std::uint32_t column = tiles.axis[2].first; column < tiles.axis[2].last; ++column) {
        const std::uint32_t tile = (group * reader.rows + row) * reader.columns + column;
        if (!bit(ready, tile) && input_written(slot, reader, tile)) set_ready(slot, consumer, tile);
      }
    }
  }
}

}  // namespace spillway::core
