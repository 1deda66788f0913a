#include "models/quantized/range.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace spillway::quantized {
namespace {

constexpr int dropped_bits = 15;  // of 23 of the fraction
constexpr std::size_t classes = std::size_t{1} << (31 - dropped_bits);

}  // namespace

RangeObserver::RangeObserver() : classes_(classes, 0) {}

void RangeObserver::add(std::span<const float> numbers) {
  for (const float number : numbers) {
    const float magnitude = std::fabs(number);
    if (!std::isfinite(magnitude)) {
      ++not_finite_;
      continue;
    }
    ++classes_[std::bit_cast<std::uint32_t>(magnitude) >> dropped_bits];
    ++count_;
    largest_ = std::max(largest_, magnitude);
  }
}

float RangeObserver::covering(double share) const {
  const double wanted = share * static_cast<double>(count_);
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < classes; ++i) {
    seen += classes_[i];
    if (static_cast<double>(seen) >= wanted) {
      const auto end = static_cast<std::uint32_t>((i + 1) << dropped_bits);
      return std::min(largest_, std::bit_cast<float>(end));
    }
  }
  return largest_;
}

}  // namespace spillway::quantized
