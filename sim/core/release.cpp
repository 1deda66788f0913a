#include "sim/core/axes.hpp"
#include "sim/core/scheduler.hpp"

// Which tiles become ready when a tile has been written: successors and predecessors by arithmetic.

namespace spillway::core {
namespace {

bool reads_everything(const Layer& layer) {
  return layer.flattened || layer.waits_for_all;
}

}  // namespace

/// Finds the first ready tile of the oldest frame that has one.
void Scheduler::find_first() {
  first_.frame = no_frame;
  for (Offset offset = flights_; offset != flights_end_; offset += flight_bytes_) {
    Flight& flight = flight_at(offset);
    if (flight.frame >= first_.frame) continue;
    const std::uint32_t end = progress(flight, layers()).first_place / 32;
    while (flight.word < end && bits_[flight.word].ready == 0)
      ++flight.word;
    if (flight.word >= end) continue;
    const std::uint32_t place = flight.word * 32 + static_cast<std::uint32_t>(__builtin_ctz(bits_[flight.word].ready));
    while (progress(flight, flight.layer + 1).first_place <= place)
      ++flight.layer;
    const TileId tile{place, flight.frame, offset, flight.layer, place - progress(flight, flight.layer).first_place};
    if (with_pins && waits_for_holder(tile)) {
      pass_over(tile);
    } else {
      first_ = tile;
    }
  }
}

void Scheduler::start_frame(Flight& flight, std::uint32_t frame) {
  flight.frame = frame;
  flight.tiles_left = 0;
  flight.word = no_word;
  std::uint32_t place = progress(flight, 0).first_place;
  for (std::uint32_t layer = 0; layer < layers(); ++layer) {
    const Layer& reader = plan_.layers[layer];
    const std::uint32_t tiles = reader.tiles();
    progress(flight, layer) = {place, tiles};
    flight.tiles_left += tiles;
    for (std::uint32_t tile = 0; tile < tiles; tile += 32, place += 32)
      bits_[place / 32] = {};
    release(flight, layer, network_input, {});
  }
  progress(flight, layers()).first_place = place;
}

/// Whether all of a tile's input is on the card.
bool Scheduler::input_written(const Flight& flight, const Layer& reader, const Axes& axes, std::uint32_t tile) const {
  Box need = outputs_of(axes, tile);
  to_inputs(axes, need);
  const Range channels = need.axis[0];
  for (const Part& part : plan_.parts.subspan(reader.first_part, reader.parts)) {
    if (part.producer == network_input) continue;
    const Progress& made = progress(flight, part.producer);
    if (made.tiles_left == 0) continue;
    if (reads_everything(reader)) return false;
    need.axis[0] = channels_of(part, channels);
    if (need.empty()) continue;
    shift(need.axis[0], part.producer_channel - part.first_channel);
    // Tiles are mostly written in ascending order, so a missing one is found soonest from the end.
    for (TileWalk walk(Axes(plan_.layers[part.producer]), need); walk.next();) {
      const std::uint32_t place = made.first_place + walk.tile();
      if ((bits_[place / 32].written >> (place % 32) & 1U) == 0) return false;
    }
  }
  return true;
}

/// Makes those tiles of a consumer ready that read written outputs of a producer and have all their input; with weights
/// outside those of the group of a channel.
void Scheduler::release(Flight& flight, std::uint32_t consumer, std::uint32_t producer, const Box& written,
                        std::uint32_t channel) {
  const Layer& reader = plan_.layers[consumer];
  const Axes axes(reader);
  const bool regional = producer != network_input && !reads_everything(reader);
  if (!regional && producer != network_input && progress(flight, producer).tiles_left != 0) return;
  for (const Part& part : plan_.parts.subspan(reader.first_part, reader.parts)) {
    if (part.producer != producer) continue;
    Box box = regional ? written : outputs_of(axes);
    if (regional) {
      box.axis[0] = common(box.axis[0], {part.producer_channel, part.producer_channel + part.channels});
      if (box.axis[0].empty()) continue;
      shift(box.axis[0], part.first_channel - part.producer_channel);
      to_readers(axes, box);
    }
    // The groups of a layer that is not channelwise read the same: the first one stands for all. With weights outside
    // one group follows the other.
    if (!reader.channelwise || reader.weights_outside()) box.axis[0] = {channel, channel + 1};
    make_ready(flight, consumer, axes, box);
  }
}

/// Makes those tiles of a box of outputs ready whose input is complete.
inline void Scheduler::make_ready(Flight& flight, std::uint32_t consumer, const Axes& axes, const Box& outputs) {
  const Layer& reader = plan_.layers[consumer];
  const std::uint32_t groups = reader.channelwise || reader.weights_outside() ? 1 : reader.groups;
  for (TileWalk walk(axes, outputs); walk.next();) {
    const std::uint32_t tile = walk.tile();
    if (!input_written(flight, reader, axes, tile)) continue;
    std::uint32_t place = progress(flight, consumer).first_place + tile;
    for (std::uint32_t group = 0; group < groups; ++group, place += reader.rows * reader.columns) {
      bits_[place / 32].ready |= 1U << (place % 32);
      if (place / 32 < flight.word) {
        flight.word = place / 32;
        flight.layer = consumer;
      }
    }
  }
}

}  // namespace spillway::core
