#pragma once

#include <cstdint>

#include "hw/kernels/int8/requantize.hpp"

namespace spillway::int8 {

/// Filters that are in memory from end to end, one after the other, and what becomes of their sums.
struct WholeFilters {
  const std::int8_t* weights = nullptr;
  const OutputChannel* channels = nullptr;
  std::uint32_t elements = 0;  ///< of a filter
  std::uint32_t count = 0;
  Clamp clamp;
};

}  // namespace spillway::int8
