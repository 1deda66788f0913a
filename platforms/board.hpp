#pragma once

#include <array>
#include <string>
#include <string_view>

/// Where a network runs: boards, cards and clusters of real parts, every figure with its source.
namespace spillway::platforms {

/// A number in base units (bytes, seconds, hertz, watts, per second) and where it comes from.
struct Figure {
  double value = 0;
  std::string source;    ///< data sheet, measurement or derivation
  bool assumed = false;  ///< neither given nor derived: `source: assumed, ...`
};

/// The classes of work that a board has a rate for, in the order of core::WorkClass.
inline constexpr std::array<std::string_view, 6> work_class_names = {"convolution", "pointwise",   "depthwise",
                                                                     "dense",       "elementwise", "pooling"};

/// A microcontroller board.
struct Board {
  std::string name;         ///< file name without .yaml
  std::string description;
  Figure sram;              ///< bytes
  Figure flash;             ///< bytes
  Figure clock;             ///< Hz
  /// Work per second for each class: multiply-accumulates, for pooling and elementwise the elements read.
  std::array<Figure, 6> rates;
  Figure compute_overhead;  ///< s for each compute task
  Figure contention;        ///< share of the compute rate lost while a DMA transfer is in flight, 0 to below 1
  Figure idle_power;        ///< W, board without card, CPU waiting
  Figure compute_power;     ///< W, board without card, CPU computing
};

}  // namespace spillway::platforms
