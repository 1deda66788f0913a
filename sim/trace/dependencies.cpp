#include "sim/trace/dependencies.hpp"

#include <algorithm>

#include "sim/core/geometry.hpp"

namespace spillway::trace {
namespace {

using core::LayerIndex;
using core::Range;

std::uint64_t layer_key(std::uint32_t frame, LayerIndex layer) {
  return std::uint64_t{frame} << 16 | layer;
}

/// Numbers of the tiles of size `tile` that a range of elements touches, among `count` tiles.
Range touched(const Range& range, std::uint32_t tile, std::uint32_t count) {
  if (range.empty()) return {};
  return {range.first / tile, std::min(count, (range.last - 1) / tile + 1)};
}

/// The producer's tiles (channels: groups) that one part of a tile reads from.
core::Region covering(const core::Layer& layer, const core::Part& part, std::uint32_t tile,
                      const core::Layer& producer) {
  if (layer.flattened) return {{0, producer.groups}, {0, producer.rows}, {0, producer.columns}};
  core::Region region = core::input_region(layer, part, tile);
  if (region.channels.empty()) return {};
  region.channels.first = region.channels.first - part.first_channel + part.producer_channel;
  region.channels.last = region.channels.last - part.first_channel + part.producer_channel;
  return {touched(region.channels, producer.tile_channels, producer.groups),
          touched(region.rows, producer.tile_height, producer.rows),
          touched(region.columns, producer.tile_width, producer.columns)};
}

template <typename Visit>
void for_each_tile(const core::Layer& layer, const core::Region& tiles, Visit visit) {
  for (std::uint32_t group = tiles.channels.first; group < tiles.channels.last; ++group) {
    for (std::uint32_t row = tiles.rows.first; row < tiles.rows.last; ++row) {
      for (std::uint32_t column = tiles.columns.first; column < tiles.columns.last; ++column) {
        visit((group * layer.rows + row) * layer.columns + column);
      }
    }
  }
}

}  // namespace

Dependencies::Dependencies(const core::Plan& plan) : plan_(plan), producers_(plan.layers.size()) {
  readers_.resize(plan.layers.size());
  first_tile_.push_back(0);
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    first_tile_.push_back(first_tile_.back() + layer.tiles());
    std::vector<LayerIndex>& producers = producers_[row];
    for (const core::Part& part : plan.parts.subspan(layer.first_part, layer.parts)) {
      if (part.producer != core::network_input) producers.push_back(part.producer);
    }
    std::sort(producers.begin(), producers.end());
    producers.erase(std::unique(producers.begin(), producers.end()), producers.end());
    for (const LayerIndex producer : producers)
      ++readers_[producer];
  }
}

std::size_t Dependencies::Hash::operator()(std::uint64_t key) const {
  // Neighbouring tiles differ in the low bits only; the multiplication (golden ratio) spreads them over all.
  key *= 0x9E3779B97F4A7C15u;
  return static_cast<std::size_t>(key ^ key >> 32);
}

std::size_t Dependencies::Hash::operator()(const Chunk& chunk) const {
  return (*this)(chunk.tile * 0x100000001B3u ^ chunk.index);
}

std::span<const Dependencies::Arrow> Dependencies::finished(const core::Task& task, const Slice& slice) {
  arrow_count_ = 0;
  switch (task.kind) {
    case core::TaskKind::read_input:
      read_input(task, slice);
      break;
    case core::TaskKind::read_weights:
      read_weights(task, slice);
      break;
    case core::TaskKind::compute:
      compute(task, slice);
      break;
    case core::TaskKind::write_output:
      write_output(task, slice);
      break;
  }
  return {arrows_.data(), arrow_count_};
}

std::size_t Dependencies::held() const {
  std::size_t held = weights_.size() + 2 * tiles_.size();
  for (const auto& [key, layer] : written_)
    held += layer.tiles.size();
  return held;
}

std::uint64_t Dependencies::tile_key(const core::Task& task) const {
  return task.frame * first_tile_.back() + first_tile_[task.layer] + task.tile;
}

/// Of the tile that reads the weights of a tile.
std::uint64_t Dependencies::group_key(const core::Task& task) const {
  const core::Layer& layer = plan_.layers[task.layer];
  core::Task reader = task;
  if (layer.weight_pins != 0) reader.tile -= task.tile % layer.group_tiles();
  return tile_key(reader);
}

void Dependencies::read_input(const core::Task& task, const Slice& slice) {
  Tile& tile = tiles_[tile_key(task)];
  if (!tile.read) add_release(task);
  tile.read = tile.released = true;
  tile.last_read = slice;
}

void Dependencies::read_weights(const core::Task& task, const Slice& slice) {
  Tile& tile = tiles_[tile_key(task)];
  if (!tile.read && !tile.released) add_release(task);
  tile.released = true;
  weights_.insert_or_assign(Chunk{group_key(task), task.index}, slice);
}

void Dependencies::compute(const core::Task& task, const Slice& slice) {
  const core::Layer& layer = plan_.layers[task.layer];
  Tile& tile = tiles_[tile_key(task)];
  if (tile.read && !tile.computed) add(Dependency::input, tile.last_read);
  if (!tile.read && !tile.released) add_release(task);
  tile.computed = tile.released = true;
  tile.last_compute = slice;
  const auto weights = weights_.find(Chunk{group_key(task), task.index});
  if (weights != weights_.end()) {
    add(Dependency::weights, weights->second);
    if (layer.weight_pins == 0) weights_.erase(weights);
  }
  if (layer.output_pins == 0 || task.index + 1 != core::chunks_of(layer, task.tile)) return;
  tiles_.erase(tile_key(task));
  done(task, slice);
}

void Dependencies::write_output(const core::Task& task, const Slice& slice) {
  const auto tile = tiles_.find(tile_key(task));
  if (tile != tiles_.end()) {
    if (tile->second.computed) add(Dependency::result, tile->second.last_compute);
    tiles_.erase(tile);
  }
  done(task, slice);
}

/// The tile's output is where its readers take it from.
void Dependencies::done(const core::Task& task, const Slice& slice) {
  Written& layer = written(task.frame, task.layer);
  if (layer.present[task.tile]) return;
  layer.present[task.tile] = true;
  layer.tiles[task.tile] = slice;
  if (--layer.unwritten > 0) return;
  forget_resident_weights(task);
  forget_if_unneeded(task.frame, task.layer);
  for (const LayerIndex producer : producers_[task.layer]) {
    --written(task.frame, producer).unfinished;
    forget_if_unneeded(task.frame, producer);
  }
}

Dependencies::Written& Dependencies::written(std::uint32_t frame, LayerIndex layer) {
  const auto [entry, is_new] = written_.try_emplace(layer_key(frame, layer));
  if (is_new) {
    const std::uint32_t tiles = plan_.layers[layer].tiles();
    entry->second = {std::vector<Slice>(tiles), std::vector<bool>(tiles), tiles, readers_[layer]};
  }
  return entry->second;
}

void Dependencies::forget_resident_weights(const core::Task& task) {
  const core::Layer& layer = plan_.layers[task.layer];
  if (layer.weight_pins == 0) return;
  core::Task first = task;
  for (first.tile = 0; first.tile < layer.tiles(); first.tile += layer.group_tiles()) {
    for (std::uint32_t chunk = 0; chunk < layer.chunks; ++chunk)
      weights_.erase(Chunk{group_key(first), chunk});
  }
}

/// A layer can finish before its producer: with a stride above its kernel it leaves the producer's last tiles unread.
void Dependencies::forget_if_unneeded(std::uint32_t frame, LayerIndex layer) {
  const auto entry = written_.find(layer_key(frame, layer));
  if (entry->second.unwritten == 0 && entry->second.unfinished == 0) written_.erase(entry);
}

void Dependencies::add_release(const core::Task& task) {
  const core::Layer& layer = plan_.layers[task.layer];
  const Slice* last = nullptr;
  for (const core::Part& part : plan_.parts.subspan(layer.first_part, layer.parts)) {
    if (part.producer == core::network_input) continue;
    const auto entry = written_.find(layer_key(task.frame, part.producer));
    if (entry == written_.end()) continue;
    const core::Layer& producer = plan_.layers[part.producer];
    for_each_tile(producer, covering(layer, part, task.tile, producer), [&](std::uint32_t tile) {
      if (!entry->second.present[tile]) return;
      const Slice& write = entry->second.tiles[tile];
      if (last == nullptr || write.end_ns > last->end_ns) last = &write;
    });
  }
  if (last != nullptr) add(Dependency::release, *last);
}

}  // namespace spillway::trace
