#pragma once

#include <cstdint>

#include "hw/kernels/int8/layers.hpp"

namespace spillway::execution {

/// Which kernel computes a layer.
enum class Kernel : std::uint8_t { convolution, depthwise, dense, max_pool, average_pool, addition };

/// What a row of the plan computes, as far as the plan does not say it: the same for every element type. A table of
/// them, one for each row, is made by the host and constant.
struct LayerOperator {
  Kernel kernel = Kernel::convolution;
  int8::Window window;                ///< of convolutions and pooling
  std::uint32_t filter_channels = 1;  ///< convolution: input channels of a group; dense: elements of the vector
  std::uint32_t group_filters = 1;    ///< convolution: output channels of a group
  bool count_padding = false;         ///< average pooling: elements of the padding count in the mean
  std::uint16_t pad_bottom = 0, pad_right = 0;  ///< average pooling: where counted padding ends
};

/// How a row computes in int8.
struct QuantizedLayer {
  const int8::OutputChannel* channels = nullptr;  ///< of a layer with weights, by output channel
  /// Average pooling: by the number of elements that count, or one for all; addition: by operand.
  std::span<const int8::Rescale> rescales;
  int8::Rescale result;  ///< addition: of the sum
  int8::Clamp clamp;
};

}  // namespace spillway::execution
