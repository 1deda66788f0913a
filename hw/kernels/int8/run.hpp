#pragma once

#include <cstdint>
#include <span>

#include "hw/kernels/int8/layers.hpp"

/// The int8 kernels: one call for each kind of layer, each for one tile and, with weights, one chunk. Results do not
/// depend on how a layer is cut: every call computes the same int32 sums. Freestanding; nothing fails, what is asked of
/// the arguments is said with their types.
namespace spillway::int8 {

/// Elements of scratch memory that convolve() wants for filters of so many elements in a chunk (rows x columns x
/// channels of the piece): it works with any that is at least least_scratch, slower with less.
constexpr std::uint32_t wanted_scratch(std::uint32_t filter_elements) {
  return 2 * ((filter_elements + 3) / 4 * 4);
}
inline constexpr std::uint32_t least_scratch = 16;

/// The chunk's part of the tile: a piece that begins a filter begins its sums, one that ends it writes its outputs.
/// Chunk::filters lie in the tile's channels. Scratch is aligned to 4 bytes.
void convolve(const Convolution& layer, const Input& input, const Chunk& chunk, const Output& output,
              std::span<std::int16_t> scratch);

/// Elements of scratch memory that convolve_depthwise() needs, for a tile of one column, and those that it wants for a
/// tile of so many columns: it works with any between.
constexpr std::uint32_t wanted_scratch(const Depthwise& layer, std::uint32_t columns) {
  const Window& window = layer.window;
  const std::uint32_t span =
      (columns - 1) * window.stride_width + (window.kernel_width - 1) * window.dilation_width + 1;
  return 4U * window.kernel_height * (window.kernel_width + span);
}
constexpr std::uint32_t least_scratch_of(const Depthwise& layer) {
  return wanted_scratch(layer, 1);
}

/// The same for a depthwise convolution, whose filters are whole.
void convolve_depthwise(const Depthwise& layer, const Input& input, const Chunk& chunk, const Output& output,
                        std::span<std::int16_t> scratch);

/// The same for a dense layer. The output is channels alone.
void multiply(const Dense& layer, const Input& input, const Chunk& chunk, const Output& output);

void pool(const MaxPool& layer, const Input& input, const Output& output);

void pool(const AveragePool& layer, const Input& input, const Output& output);

/// `operands` has one input for each of Addition::operands.
void add(const Addition& layer, std::span<const Input> operands, const Output& output);

/// The box of the output, taken from the input as it is: concatenation, where its producers lie apart.
void copy(const Input& input, const Output& output);

}  // namespace spillway::int8
