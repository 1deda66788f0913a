#pragma once

#include <cstdint>
#include <span>

#include "hw/kernels/int8/buffer_chain.hpp"
#include "hw/kernels/int8/requantize.hpp"
#include "sim/core/geometry.hpp"

/// What the int8 kernels compute and where it lies. Boxes and ranges (core::Region, core::Range) count in the whole map
/// of a layer's input or output, so that a call for a tile needs no numbers of its own: a map in one piece is one tile.
namespace spillway::int8 {

/// A box of the layer's input as it lies in memory: rows, columns, channels, without gaps. Element (y, x, c) is byte
/// first_byte + ((y - y0) * columns + (x - x0)) * channels + (c - c0) of the chain.
struct Patch {
  core::Region box;
  BufferChain chain;
  std::uint32_t first_byte = 0;
};

/// A layer's input. Patches must cover what the tile's windows read of the map; they do not overlap. Windows reach
/// beyond the map where there is padding, which counts as 0 (and is ignored by pooling).
/// A dense layer reads its input as a vector: elements are the channels of a map of 1 x 1.
struct Input {
  std::uint32_t height = 1, width = 1;  ///< of the map
  std::span<const Patch> patches;
};

/// Sliding window: output (y, x) reads rows y * stride_height - pad_top + i * dilation_height for i < kernel_height,
/// and columns alike.
struct Window {
  std::uint16_t kernel_height = 1, kernel_width = 1;  ///< elements that are read; the gaps of dilation not counted
  std::uint16_t stride_height = 1, stride_width = 1;
  std::uint16_t pad_top = 0, pad_left = 0;
  std::uint16_t dilation_height = 1, dilation_width = 1;

  friend constexpr bool operator==(const Window&, const Window&) = default;
};

/// A tile of a layer's output: rows, columns, channels of its box without gaps.
struct Output {
  core::Region box;
  std::int8_t* values = nullptr;
  /// Sums of filters that come in pieces: [filter of the chunk][row][column]. Aligned to 4 bytes; in an output buffer
  /// they end with the buffer, whose size is a multiple of 4. Not used where every filter is whole.
  std::int32_t* sums = nullptr;
};

/// Weights that are in memory at a time: a block of filters, whole or a piece of each.
/// Order: [filter], and in a filter for each of the input's parts that has channels in the piece, in their order:
/// [kernel row][kernel column][channel].
struct Chunk {
  core::Range filters;   ///< output channels
  core::Range channels;  ///< of a filter's own input channels: 0 to filter_channels where it is whole
  const std::int8_t* weights = nullptr;
};

/// Convolution, groups and dilation included. Filter k reads input channels from k / group_filters * filter_channels.
struct Convolution {
  Window window;
  std::uint32_t filter_channels = 1;        ///< input channels of a group
  std::uint32_t group_filters = 1;          ///< output channels of a group
  std::span<const core::Range> parts;       ///< of the input's channels, as the weights are ordered by; ascending
  const OutputChannel* channels = nullptr;  ///< of the layer, by output channel
  Clamp clamp;
};

/// Convolution in which output channel c reads input channel c only. A chunk's weights are [filter][row][column].
struct Depthwise {
  Window window;
  const OutputChannel* channels = nullptr;  ///< of the layer, by output channel
  Clamp clamp;
};

/// Fully connected. A chunk's weights are [output][element]; Chunk::channels are elements of the input vector.
struct Dense {
  std::uint32_t inputs = 1;                 ///< elements of the vector
  const OutputChannel* channels = nullptr;  ///< of the layer, by output
  Clamp clamp;
};

/// Maximum over the window's elements in the map. Its output has the scale of its input.
struct MaxPool {
  Window window;
  Clamp clamp;
};

/// Mean over the window. Global pooling is a window as large as the map.
struct AveragePool {
  Window window;
  /// Whether elements of the padding count in the mean.
  bool count_padding = false;
  /// Rows and columns of padding behind the map: where counted padding ends.
  std::uint16_t pad_bottom = 0, pad_right = 0;
  /// From a sum to the mean in the output's scale: by the number of elements that count, less 1. One for all where it
  /// has length 1, as every window then counts the same.
  std::span<const Rescale> by_count;
  Clamp clamp;
};

/// Element-wise sum of maps of one shape: clamp(result(sum of operand_i(x_i * 2^addition_shift))).
struct Addition {
  std::span<const Rescale> operands;  ///< at most most_operands; each at most 1
  Rescale result;
  Clamp clamp;
};

}  // namespace spillway::int8
