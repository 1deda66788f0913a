#pragma once

#include <cstdint>

#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

/// The arithmetic of the implicit task graph: which part of a feature map a task touches, how many bytes, how much
/// work.
namespace spillway::core {

/// Half-open range [first, last).
struct Range {
  std::uint32_t first = 0, last = 0;

  constexpr std::uint32_t size() const { return last - first; }
  constexpr bool empty() const { return first >= last; }
  friend constexpr bool operator==(const Range&, const Range&) = default;
};

/// What two ranges share; empty where they share nothing.
constexpr Range common(Range a, Range b) {
  const std::uint32_t first = a.first > b.first ? a.first : b.first;
  const std::uint32_t last = a.last < b.last ? a.last : b.last;
  return {first, last > first ? last : first};
}

/// Moves a range, down by a difference below 0.
constexpr void shift(Range& range, std::uint32_t by) {
  range.first += by;
  range.last += by;
}

/// A box of a feature map.
struct Region {
  Range channels, rows, columns;

  constexpr std::uint64_t elements() const { return std::uint64_t{channels.size()} * rows.size() * columns.size(); }
  friend constexpr bool operator==(const Region&, const Region&) = default;
};

/// Position of a tile in its layer's grid.
struct TilePosition {
  std::uint32_t group = 0, row = 0, column = 0;
};

constexpr TilePosition position_of(const Layer& layer, std::uint32_t tile) {
  const std::uint32_t line = tile / layer.columns;
  const std::uint32_t group = line / layer.rows;
  return {group, line - group * layer.rows, tile - line * layer.columns};
}

/// The box of the layer's output that a tile is.
Region output_region(const Layer& layer, std::uint32_t tile);

/// The box of the layer's input that one part of a tile reads: channels count within the layer's input, rows and
/// columns are the receptive field clipped to the map. Channels are empty where the part has nothing to give to the
/// tile.
Region input_region(const Layer& layer, const Part& part, std::uint32_t tile);

/// Whether a tile reads its weights: with weights outside the first tile of a group reads them for all.
constexpr bool reads_weights(const Layer& layer, std::uint32_t tile) {
  return layer.has_weights() && (!layer.weights_outside() || tile % layer.group_tiles() == 0);
}

/// Whether a part is read for a tile: it has channels to give to it, which are on the card.
bool part_exists(const Layer& layer, const Part& part, std::uint32_t tile);

/// Chunks of a tile: Layer::chunks, fewer in a smaller last group.
std::uint32_t chunks_of(const Layer& layer, std::uint32_t tile);

/// Filters (output channels) that a chunk of a tile covers.
std::uint32_t filters_of(const Layer& layer, std::uint32_t tile, std::uint32_t chunk);

/// Bytes that a task moves between card and SRAM under the plan's layout; 0 for compute.
std::uint64_t bytes_of(const Plan& plan, const Task& task);

/// Work of a compute task in the unit of Layer::filter_work; 0 for IO. The work of a tile's chunks sums to that of the
/// tile exactly, however its filters are cut.
std::uint64_t work_of(const Plan& plan, const Task& task);

}  // namespace spillway::core
