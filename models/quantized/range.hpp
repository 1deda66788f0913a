#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spillway::quantized {

/// The magnitudes that a map was seen to have, in classes 1/256 of their size wide. The result does not depend on the
/// order in which numbers come.
class RangeObserver {
 public:
  RangeObserver();

  /// Numbers that are not finite are counted apart.
  void add(std::span<const float> numbers);

  float largest() const { return largest_; }

  /// The magnitude that the given share of the numbers (0 to 1) does not exceed: the upper end of its class, at most
  /// largest().
  float covering(double share) const;

  std::uint64_t count() const { return count_; }
  std::uint64_t not_finite() const { return not_finite_; }

 private:
  std::vector<std::uint64_t> classes_;  ///< by exponent and the first bits of the fraction
  std::uint64_t count_ = 0, not_finite_ = 0;
  float largest_ = 0;
};

}  // namespace spillway::quantized
