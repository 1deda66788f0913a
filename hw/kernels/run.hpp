#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/kernels/layers.hpp"

/// The calls that compute a layer. None allocates memory. The sum behind each output is taken in an order that depends
/// on the layer alone, so that the bits are the same for any number of threads and wherever the layer runs.
/// Arrays do not overlap, but the output of pointwise layers, normalizations, and of an Elementwise whose operand has
/// the output's shape may be that input.
namespace spillway::kernels {

/// How a call runs.
struct Execution {
  int threads = 1;
  /// At least scratch_bytes(layer, threads) bytes, aligned to 64.
  void* scratch = nullptr;
  /// Called by the calling thread between blocks of the layer, with the argument: for communication that advances only
  /// inside calls. May be null.
  void (*progress)(void* argument) = nullptr;
  void* progress_argument = nullptr;
};

/// Numbers of a convolution; null: none. bias, scale and shift: one for each filter; scale and shift go together.
struct ConvolutionWeights {
  const float* filters = nullptr;
  const float* bias = nullptr;
  const float* scale = nullptr;
  const float* shift = nullptr;
};

/// Numbers of a dense layer; bias may be null.
struct DenseWeights {
  const float* weights = nullptr;
  const float* bias = nullptr;
};

/// residual: as the output, added before the activation; null: none.
void run(const Convolution& layer, const float* input, const ConvolutionWeights& weights, const float* residual,
         float* output, const Execution& execution);
/// bias may be null.
void run(const TransposedConvolution& layer, const float* input, const float* filters, const float* bias, float* output,
         const Execution& execution);
void run(const Dense& layer, const float* input, const DenseWeights& weights, float* output,
         const Execution& execution);
void run(const MatrixProduct& layer, const float* left, const float* right, float* output, const Execution& execution);
void run(const Pool& layer, const float* input, float* output, const Execution& execution);
void run(const Normalization& layer, const float* input, const float* scale, const float* shift, float* output,
         const Execution& execution);
void run(const InstanceNormalization& layer, const float* input, const float* scale, const float* shift, float* output,
         const Execution& execution);
void run(const LocalResponseNormalization& layer, const float* input, float* output, const Execution& execution);
void run(const Pointwise& layer, const float* input, float* output, const Execution& execution);
/// As many inputs as the layer has lists of strides.
void run(const Elementwise& layer, const float* const* inputs, float* output, const Execution& execution);
void run(const Softmax& layer, const float* input, float* output, const Execution& execution);
/// As many inputs as the layer has parts.
void run(const Concat& layer, const float* const* inputs, float* output, const Execution& execution);
void run(const Rearrangement& layer, const float* input, float* output, const Execution& execution);
void run(const Pad& layer, const float* input, float* output, const Execution& execution);
void run(const Reduction& layer, const float* input, float* output, const Execution& execution);
void run(const Copy& layer, const float* input, float* output, const Execution& execution);

/// Bytes of scratch memory that a call needs; other layers need none.
std::size_t scratch_bytes(const Convolution& layer, int threads);
std::size_t scratch_bytes(const Pool& layer, int threads);

/// Blocks into which the work is cut, the same for any number of threads. The calling thread calls `progress` behind
/// each of its own: with one thread, as often as there are blocks. Other layers call it once.
std::int64_t blocks(const Convolution& layer);
std::int64_t blocks(const Dense& layer);
std::int64_t blocks(const Pool& layer);

}  // namespace spillway::kernels
