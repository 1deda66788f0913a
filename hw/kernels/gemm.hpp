#pragma once

#include <cstddef>
#include <cstdint>

/// The product of matrices behind convolutions. Of the folder's own.
namespace spillway::kernels {

/// Floats of scratch memory that gemm() needs.
std::size_t gemm_scratch_floats();

/// output[rows][columns] = left[rows][inner] right[inner][columns], all row-major with rows as far apart as the strides
/// say. Serial. The order of each sum depends on `inner` alone: blocks of constant size, whatever caches the machine
/// has.
void gemm(std::int64_t rows, std::int64_t columns, std::int64_t inner, const float* left, std::int64_t left_stride,
          const float* right, std::int64_t right_stride, float* output, std::int64_t output_stride, float* scratch);

}  // namespace spillway::kernels
