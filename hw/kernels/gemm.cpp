#include "hw/kernels/gemm.hpp"

#include <algorithm>

#define EIGEN_DONT_PARALLELIZE
#include <Eigen/Core>

namespace spillway::kernels {
namespace {

// The best of those tried on a core with AVX-512 and 2 MiB of cache for the shapes of VGG and ResNet.
constexpr Eigen::Index inner_block = 192, column_block = 384, row_block = 512;

/// Eigen's blocks with our sizes and our memory: Eigen's own depend on the machine's caches, and are allocated.
class Blocks : public Eigen::internal::level3_blocking<float, float> {
 public:
  Blocks(Eigen::Index rows, Eigen::Index columns, Eigen::Index inner, float* scratch) {
    m_blockA = scratch;
    m_blockB = scratch + column_block * inner_block;
    m_mc = std::min(columns, column_block);
    m_nc = std::min(rows, row_block);
    m_kc = std::min(inner, inner_block);
  }
};

}  // namespace

std::size_t gemm_scratch_floats() {
  return static_cast<std::size_t>((column_block + row_block) * inner_block);
}

void gemm(std::int64_t rows, std::int64_t columns, std::int64_t inner, const float* left, std::int64_t left_stride,
          const float* right, std::int64_t right_stride, float* output, std::int64_t output_stride, float* scratch) {
  for (std::int64_t row = 0; row < rows; ++row)
    std::fill_n(output + row * output_stride, columns, 0.0F);
  // Row-major matrices are column-major ones transposed: output^T = right^T left^T.
  Blocks blocks(rows, columns, inner, scratch);
  Eigen::internal::general_matrix_matrix_product<Eigen::Index, float, Eigen::ColMajor, false, float, Eigen::ColMajor,
                                                 false, Eigen::ColMajor, 1>::run(columns, rows, inner, right,
                                                                                 right_stride, left, left_stride,
                                                                                 output, 1, output_stride, 1.0F, blocks,
                                                                                 nullptr);
}

}  // namespace spillway::kernels
