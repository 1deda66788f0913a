#pragma once

#include <cstdint>

#include "hw/kernels/layers.hpp"

/// Arithmetic on rows of numbers, shared by layers and by what is fused into them, so that both give the same bits.
/// Of the folder's own.
namespace spillway::kernels {

/// a b + c, rounded once where the machine can: written out, because the compiler may not decide it.
inline float multiply_add(float a, float b, float c) {
#if defined(__FMA__) || defined(__ARM_FEATURE_FMA)
  return __builtin_fmaf(a, b, c);
#else
  return a * b + c;
#endif
}

/// output[i] = activation(input[i]); both may be the same.
void activate(const Activation& activation, const float* input, float* output, std::int64_t count);

/// output[i] = scale input[i] + shift; both may be the same.
void scale_and_shift(const float* input, float scale, float shift, float* output, std::int64_t count);

/// What is fused behind the sums of a convolution, for a row of one filter; null: not there.
struct RowEnd {
  const float* bias = nullptr;
  const float* scale = nullptr;
  const float* shift = nullptr;
  const float* residual = nullptr;  ///< as many as the row has
};
void finish_row(const RowEnd& end, const Activation& activation, float* row, std::int64_t count);

}  // namespace spillway::kernels
