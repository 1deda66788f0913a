#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/tiling/lower.hpp"

namespace spillway::cli {

/// How much a layer computes against how much it moves when each tensor is moved once (SwapNN, section 2.1).
struct Intensity {
  std::uint64_t work = 0;         ///< W: multiply-accumulates; pooling and element-wise layers: elements read
  std::uint64_t input_bytes = 0;  ///< all operands
  std::uint64_t weight_bytes = 0;
  std::uint64_t output_bytes = 0;
  double compute_s = 0;  ///< W / S_CPU, with the board's rate for the class of work
  double io_s = 0;       ///< Q / S_IO, with the card's read and write bandwidth

  std::uint64_t moved_bytes() const { return input_bytes + weight_bytes + output_bytes; }  ///< Q
  double normalized() const { return compute_s / io_s; }                                   ///< N
  bool compute_bound() const { return compute_s > io_s; }
};

/// For each layer.
std::vector<Intensity> intensities(const models::Network& network, const std::vector<tiling::SwapLayer>& layers,
                                   models::ElementType element, const platforms::Board& board,
                                   const platforms::Card& card);

}  // namespace spillway::cli
