#pragma once

#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"

/// The geometry of a plan by brute force over single elements of the feature maps, so that the core's arithmetic on
/// ranges is judged by something that shares none of it.
namespace spillway::oracle {

/// A tile of a layer.
struct TileName {
  core::LayerIndex layer = 0;
  std::uint32_t tile = 0;

  friend constexpr auto operator<=>(const TileName&, const TileName&) = default;
};

/// One chunk of a tile's weights: the filters that it covers and the bytes of each that it holds.
struct Chunk {
  std::uint32_t filters = 0;
  std::uint32_t filter_bytes = 0;
};

/// Answers about the tiles of one plan, each found by visiting elements. The plan must outlive it.
class Elements {
 public:
  explicit Elements(const core::Plan& plan);

  /// The layer's tiles, counted by the elements' owners.
  std::uint32_t tiles(core::LayerIndex layer) const;

  /// The smallest box that holds the elements of a tile.
  core::Region output(const TileName& name) const;

  /// Number of elements of a tile.
  std::uint64_t output_elements(const TileName& name) const;

  /// The parts (0 for the layer's first) that have elements for the tile.
  std::vector<std::uint32_t> parts(const TileName& name) const;

  /// Those of the parts that are read for the tile: they are not kept in SRAM.
  std::vector<std::uint32_t> reads(const TileName& name) const;

  /// The tiles that own an element of an output channel, ascending: the tiles of a group.
  std::set<std::uint32_t> tiles_of_channel(core::LayerIndex layer, std::uint32_t channel) const;

  /// The tile whose ReadWeights bring the weights of a tile: with weights outside the first of its group, else itself.
  TileName reader_of_weights(const TileName& name) const;

  /// The smallest box, in the layer's input, that holds the elements that a part gives to a tile; a flattened layer's
  /// elements count as channels. Its channels are empty for a part that gives none.
  core::Region input(const TileName& name, std::uint32_t part) const;

  /// Every tile of every producer that owns an element of the input boxes of the tile's parts; all tiles of all
  /// producers of a layer that waits for all.
  std::set<TileName> sources(const TileName& name) const;

  /// The chunks of a tile in order, found by walking over its filters.
  std::vector<Chunk> chunks(const TileName& name) const;

 private:
  const core::Layer& layer(const TileName& name) const { return plan_.layers[name.layer]; }
  const core::Part& part(const TileName& name, std::uint32_t number) const;

  core::Plan plan_;
  std::vector<std::vector<std::uint32_t>> owners_;  ///< [layer][(channel * height + row) * width + column]
  std::vector<std::vector<std::vector<std::uint32_t>>> elements_;  ///< [layer][tile]: the elements that it owns
};

}  // namespace spillway::oracle
