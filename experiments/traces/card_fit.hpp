#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "platforms/card.hpp"

namespace spillway::traces {

/// A measured operation and what the card's figures say about it.
struct JudgedOperation {
  bool write = false;
  platforms::MeasuredOperation measured;
  double measured_s = 0, fitted_s = 0;
  /// By figures fitted without it; empty: it was not fitted at all, or too few others were.
  std::optional<double> left_out_s;
};

struct CardFit {
  platforms::Card card;
  std::vector<JudgedOperation> operations;  ///< writes, then reads, in their order
};

/// Overhead and bandwidth of a card from its own measured operations (platforms::MeasuredTransfers), reads and writes
/// apart, each time counting alike: least squares of seconds without a negative number. A direction with fewer than two
/// fitted sizes keeps its figures.
CardFit fit_card(platforms::Card card);

}  // namespace spillway::traces
