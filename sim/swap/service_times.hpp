#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"
#include "sim/swap/result.hpp"

namespace spillway::swap {

/// How long each task of a plan takes on a board with a card, and how many bytes it moves. Computed once; a look-up
/// costs no division. Both drivers take their times from here.
///
/// IO: overhead + bytes / bandwidth. Compute: overhead + work / rate of the layer's class. Rounded to 10 ns.
///
/// Crypto costs the board's time per byte that really moves, rounded apart. An accelerator's is added to the IO
/// operation. The CPU's is added to the compute tasks: each pays for the weight chunk that its tile reads (with weights
/// outside the group's first tile pays for all), a tile's first one also for the tile's input, its last one for the
/// tile's output.
class ServiceTimes {
 public:
  /// Throws std::invalid_argument when the board does not state the cost of `crypto`.
  ServiceTimes(const core::Plan& plan, const platforms::Board& board, const platforms::Card& card,
               Crypto crypto = Crypto::none);

  struct Service {
    std::uint64_t duration_ns = 0;
    std::uint64_t bytes = 0;
  };

  Service of(const core::Task& task) const;

  /// Share of the compute rate lost while a transfer is in flight, in thousandths: both drivers use this figure.
  std::uint32_t contention_thousandths() const { return contention_thousandths_; }

 private:
  // Tiles of a layer differ only in whether they are last in their row, column and group; chunks in whether their block
  // is the last one, and in their piece.
  static constexpr unsigned tile_kinds = 8;

  struct LayerTimes {
    std::array<std::vector<Service>, tile_kinds> weights{}, compute{};  ///< by chunk kind
    std::array<Service, tile_kinds> output{};
    std::array<std::vector<std::uint64_t>, tile_kinds> weights_crypto_ns{};  ///< by chunk kind; of weights that stay
    std::array<std::uint64_t, tile_kinds> output_crypto_ns{};
    std::array<std::uint32_t, tile_kinds> chunks{};
    std::uint32_t pieces = 1;
    std::uint32_t parts = 0;
    std::uint32_t resident_for = 0;  ///< tiles that use the weights that the first of them reads; 0: each reads its own
    std::size_t first_tile = 0;      ///< into tile_kind_
    std::size_t first_input = 0;     ///< into input_
  };

  static std::uint32_t chunk_kind(const LayerTimes& layer, std::uint32_t chunks, std::uint32_t chunk) {
    const std::uint32_t piece = layer.pieces == 1 ? 0 : chunk % layer.pieces;
    return chunk + layer.pieces >= chunks ? layer.pieces + piece : piece;
  }

  std::vector<LayerTimes> layers_;
  std::vector<std::uint8_t> tile_kind_;
  std::vector<Service> input_;
  std::vector<std::uint64_t> input_crypto_ns_;  ///< by tile; empty unless the CPU does the crypto
  std::uint32_t contention_thousandths_ = 0;
};

/// Seconds as whole nanoseconds, rounded to 10 ns. Throws std::invalid_argument above 292 years.
std::uint64_t round_to_10_ns(double seconds);

}  // namespace spillway::swap
