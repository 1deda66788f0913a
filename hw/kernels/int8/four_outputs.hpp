#pragma once

#include <cstdint>

#include "hw/kernels/int8/requantize.hpp"

namespace spillway::int8 {

/// A window over rows whose elements have four channels: how many elements are read, and how far its rows and the
/// elements of a row are apart.
struct FourWindow {
  std::uint32_t rows = 1, columns = 1, row_stride = 1, column_stride = 1;
};

/// A row of outputs of up to four channels.
struct FourOutputs {
  OutputChannel channels[4];
  std::uint32_t depth = 4;   ///< how many channels there are
  std::uint32_t count = 0;   ///< of outputs
  std::uint32_t stride = 1;  ///< elements from an output's window to the next one's
  Clamp clamp;
};

}  // namespace spillway::int8
