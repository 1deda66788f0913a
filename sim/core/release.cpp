#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"

// Which tiles become ready when a tile has been written: successors and predecessors by arithmetic.

namespace spillway::core {
namespace {

bool reads_everything(const Layer& layer) {
  return layer.flattened || layer.waits_for_all;
}

/// Tiles along one axis whose input overlaps [range) of the input. `tile` outputs a tile, `count` tiles, `size`
/// outputs.
Range overlapping(Range range, std::uint32_t tile, std::uint32_t count, std::uint32_t size, std::uint32_t stride,
                  std::uint32_t pad, std::uint32_t kernel) {
  const std::uint32_t reach = range.first + pad;
  const std::uint32_t first_output = reach >= kernel ? (reach - kernel) / stride + 1 : 0;
  if (first_output >= size || range.empty()) return {0, 0};
  const std::uint32_t last = (range.last + pad - 1) / (tile * stride);
  return {first_output / tile, (last < count ? last : count - 1) + 1};
}

bool bit(const std::uint32_t* words, std::uint32_t index) {
  return (words[index / 32] >> (index % 32) & 1U) != 0;
}

}  // namespace

std::uint32_t* Scheduler::done_bits(std::uint32_t slot, std::uint32_t layer) const {
  return done_ + slot * frame_words_ + bit_base_[layer];
}

std::uint32_t* Scheduler::ready_bits(std::uint32_t slot, std::uint32_t layer) const {
  return ready_ + slot * frame_words_ + bit_base_[layer];
}

void Scheduler::set_ready(std::uint32_t slot, std::uint32_t layer, std::uint32_t tile) {
  Progress& at = progress(slot, layer);
  ready_bits(slot, layer)[tile / 32] |= 1U << (tile % 32);
  if (at.ready == 0 || tile < at.first_ready) at.first_ready = tile;
  ++at.ready;
  ++slots_[slot].ready;
  ++ready_total_;
  ready_layers(slot)[layer / 32] |= 1U << (layer % 32);
}

void Scheduler::clear_ready(const Ready& ready) {
  ready_bits(ready.slot, ready.layer)[ready.tile / 32] &= ~(1U << (ready.tile % 32));
  if (--progress(ready.slot, ready.layer).ready == 0) {
    ready_layers(ready.slot)[ready.layer / 32] &= ~(1U << (ready.layer % 32));
  }
  --slots_[ready.slot].ready;
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
    for (std::uint32_t tile = 0; tile < plan_.layers[layer].tiles(); ++tile) {
      if (input_written(slot, plan_.layers[layer], tile)) set_ready(slot, layer, tile);
    }
  }
}

bool Scheduler::producers_done(std::uint32_t slot, const Layer& layer) const {
  for (const Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
    if (part.producer != network_input && progress(slot, part.producer).tiles_left != 0) return false;
  }
  return true;
}

bool Scheduler::input_written(std::uint32_t slot, const Layer& layer, std::uint32_t tile) const {
  if (reads_everything(layer)) return producers_done(slot, layer);
  for (const Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
    if (part.producer == network_input || progress(slot, part.producer).tiles_left == 0) continue;
    const Region need = input_region(layer, part, tile);
    if (need.channels.empty() || need.rows.empty() || need.columns.empty()) continue;
    const Layer& producer = plan_.layers[part.producer];
    const std::uint32_t shift = part.producer_channel - part.first_channel;
    const std::uint32_t first_group = (need.channels.first + shift) / producer.tile_channels;
    const std::uint32_t first_row = need.rows.first / producer.tile_height;
    const std::uint32_t first_column = need.columns.first / producer.tile_width;
    const std::uint32_t* done = done_bits(slot, part.producer);
    // Tiles are mostly written in ascending order, so the missing one is found first from the end.
    for (std::uint32_t group = (need.channels.last + shift - 1) / producer.tile_channels + 1; group-- > first_group;) {
      for (std::uint32_t row = (need.rows.last - 1) / producer.tile_height + 1; row-- > first_row;) {
        const std::uint32_t line = (group * producer.rows + row) * producer.columns;
        for (std::uint32_t column = (need.columns.last - 1) / producer.tile_width + 1; column-- > first_column;) {
          if (!bit(done, line + column)) return false;
        }
      }
    }
  }
  return true;
}

void Scheduler::release_consumers(std::uint32_t slot, std::uint32_t layer, std::uint32_t tile) {
  const Layer& producer = plan_.layers[layer];
  for (const LayerIndex consumer : plan_.consumers.subspan(producer.first_consumer, producer.consumers)) {
    const Layer& reader = plan_.layers[consumer];
    if (reads_everything(reader)) {
      if (!producers_done(slot, reader)) continue;
      for (std::uint32_t other = 0; other < reader.tiles(); ++other)
        set_ready(slot, consumer, other);
      continue;
    }
    for (const Part& part : plan_.parts.subspan(reader.first_part, reader.parts)) {
      if (part.producer == layer) release_overlapping(slot, consumer, part, layer, tile);
    }
  }
}

void Scheduler::release_overlapping(std::uint32_t slot, std::uint32_t consumer, const Part& part, std::uint32_t layer,
                                    std::uint32_t tile) {
  const Region written = output_region(plan_.layers[layer], tile);
  const Layer& reader = plan_.layers[consumer];
  // The channels of the part that the tile holds, as the reader counts them.
  const std::uint32_t begin = part.producer_channel, end = part.producer_channel + part.channels;
  Range channels{written.channels.first > begin ? written.channels.first : begin,
                 written.channels.last < end ? written.channels.last : end};
  if (channels.empty()) return;
  channels = {channels.first - begin + part.first_channel, channels.last - begin + part.first_channel};

  const Range groups = reader.channelwise ? overlapping(channels, reader.tile_channels, reader.groups, reader.channels,
                                                        1, reader.channel_halo, 2U * reader.channel_halo + 1)
                                          : Range{0, reader.groups};
  const Range rows = overlapping(written.rows, reader.tile_height, reader.rows, reader.height, reader.stride_height,
                                 reader.pad_top, reader.kernel_height);
  const Range columns = overlapping(written.columns, reader.tile_width, reader.columns, reader.width,
                                    reader.stride_width, reader.pad_left, reader.kernel_width);
  const std::uint32_t* ready = ready_bits(slot, consumer);
  for (std::uint32_t group = groups.first; group < groups.last; ++group) {
    for (std::uint32_t row = rows.first; row < rows.last; ++row) {
      for (std::uint32_t column = columns.first; column < columns.last; ++column) {
        const std::uint32_t other = (group * reader.rows + row) * reader.columns + column;
        if (!bit(ready, other) && input_written(slot, reader, other)) set_ready(slot, consumer, other);
      }
    }
  }
}

}  // namespace spillway::core
