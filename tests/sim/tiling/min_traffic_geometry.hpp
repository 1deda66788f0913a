#pragma once

#include <cstdint>
#include <vector>

#include "min_traffic_card.hpp"

#include "sim/core/plan.hpp"

/// What a plan's numbers say about a layer, walked through from the definitions of core::Layer.
namespace spillway::least_traffic {

/// Weights of one compute task.
struct Chunk {
  Span filters;  ///< channels of the output
  Span bytes;    ///< of each filter

  friend auto operator<=>(const Chunk&, const Chunk&) = default;
};

struct LayerGeometry {
  std::vector<Box> tiles;
  std::vector<std::uint32_t> group_of;     ///< of each tile
  std::vector<std::vector<Chunk>> chunks;  ///< of each group
};

LayerGeometry geometry_of(const core::Layer& layer);

/// The box of its producer's map that a part of a tile reads; elements of a vector stand in `channels`. Its channels
/// are empty where the part has nothing to give to the tile.
Box needed(const core::Layer& layer, const core::Part& part, const Box& tile);

/// Calls `visit` with channel, row and column of each element of a producer's map that a part of a tile needs.
template <class Visit>
void for_elements(const core::Layer& layer, const StoredMap& map, const MapShape& shape, const Box& need, Visit visit) {
  const Box walked = layer.flattened ? shape.all() : need;
  for (std::uint32_t c = walked.channels.first; c < walked.channels.last; ++c) {
    for (std::uint32_t y = walked.rows.first; y < walked.rows.last; ++y) {
      for (std::uint32_t x = walked.columns.first; x < walked.columns.last; ++x) {
        if (layer.flattened) {
          const std::uint32_t at = map.position(c, y, x);
          if (at < need.channels.first || at >= need.channels.last) continue;
        }
        visit(c, y, x);
      }
    }
  }
}

}  // namespace spillway::least_traffic
