#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "models/network.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/tiling/lower.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {

/// What bounds a layer over a range of processors and cards.
enum class Bound : std::uint8_t {
  compute,  ///< N > 1 everywhere: compute-bound
  io,       ///< N <= 1 everywhere: IO-bound
  depends,
};
std::string_view to_string(Bound bound);  ///< `compute-bound`, `IO-bound`, `depends`

/// The range that SwapNN states (section 2.1), one rate for all work. An operation is half of a multiply-accumulate.
inline constexpr double lowest_published_macs_per_s = 64e6 / 2, highest_published_macs_per_s = 480e6 / 2;
inline constexpr double lowest_published_io_per_s = 10e6, highest_published_io_per_s = 40e6;

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

  /// Over the whole published range; board and card do not matter.
  Bound over_published_range() const;
};

/// For each layer.
std::vector<Intensity> intensities(const models::Network& network, const std::vector<tiling::SwapLayer>& layers,
                                   models::ElementType element, const platforms::Board& board,
                                   const platforms::Card& card);

/// A layer with weights: what the paper's Table 2 counts.
struct CountedLayer {
  models::NodeId node = 0;
  core::WorkClass work_class = core::WorkClass::convolution;
  Intensity intensity;
};

/// The layers with weights of a network, in its order.
std::vector<CountedLayer> counted_layers(const models::Network& network, models::ElementType element,
                                         const platforms::Board& board, const platforms::Card& card);

/// Time in which the card works for one frame of a layer as it was cut: tiles and repeated reads of weights included.
double io_s_of(const tiling::SwapPlan& plan, std::size_t layer, const platforms::Card& card);

/// The times of the counted layers as they were cut, by what bounds them (SwapNN, Figure 3). In s, of one frame.
struct BoundTimes {
  double compute_bound_compute_s = 0, compute_bound_io_s = 0;
  double io_bound_compute_s = 0, io_bound_io_s = 0;
};
BoundTimes times_by_bound(const std::vector<CountedLayer>& layers, const tiling::SwapPlan& plan,
                          const platforms::Card& card);

}  // namespace spillway::experiments
