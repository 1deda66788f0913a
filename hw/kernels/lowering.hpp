#pragma once

#include <cstdint>

#include "hw/kernels/layers.hpp"
#include "hw/kernels/parallel.hpp"

/// How a convolution is cut into matrix products, and a dense layer into blocks. Of the folder's own.
namespace spillway::kernels {

/// Outputs of a block of a dense layer.
inline constexpr std::int64_t dense_block = 64;

/// Blocks of a convolution: whole rows of the output of one group of one frame, and a range of the group's filters.
/// They depend on the layer alone.
struct ConvolutionBlocks {
  std::int64_t rows = 1, filters = 1;  ///< of a block
  std::int64_t row_blocks = 1, filter_blocks = 1;
  std::int64_t count = 1;  ///< of blocks in the layer
};
ConvolutionBlocks blocks_of(const Convolution& layer);

/// Whether the input itself is the matrix: a kernel of one element, no stride, no padding.
bool is_pointwise(const Convolution& layer);

/// Whether each group has one input channel, which makes products of matrices a waste.
bool is_depthwise(const Convolution& layer);

/// Writes the windows of some output rows as the columns of a matrix [channels x kernel height x kernel width]
/// [rows x output width] (im2col), for some channels of a group. `input` and `matrix` begin at the group's first one.
void lower_windows(const Convolution& layer, const float* input, Range channels, Range rows, float* matrix);

/// Scratch floats of one thread, and a depthwise convolution.
std::size_t depthwise_scratch_floats(const Convolution& layer);
void run_depthwise(const Convolution& layer, const float* input, const ConvolutionWeights& weights,
                   const float* residual, float* output, const Execution& execution);

}  // namespace spillway::kernels
