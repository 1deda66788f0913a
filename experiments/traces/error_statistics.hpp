#pragma once

#include <cstddef>
#include <optional>
#include <span>

namespace spillway::traces {

/// A simulated number and the measured one.
struct Compared {
  double simulated = 0, measured = 0;

  /// simulated / measured - 1; empty where nothing was measured.
  std::optional<double> relative_error() const;
};

/// How numbers compare.
struct ErrorStatistics {
  std::size_t count = 0;
  std::size_t unmeasured = 0;  ///< of these, those with a measured 0: they have no relative error
  /// Sum of the simulated over sum of the measured, less 1. Empty: the measured are all 0.
  std::optional<double> of_sums;
  std::optional<double> mean;           ///< of the relative errors, signed: the bias
  std::optional<double> mean_absolute;  ///< of the relative errors (MAPE)
  std::optional<double> correlation;    ///< Pearson's; empty with fewer than two numbers, or where one side is constant
};

ErrorStatistics statistics_of(std::span<const Compared> numbers);

}  // namespace spillway::traces
