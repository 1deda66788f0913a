#include "hw/kernels/run.hpp"
#include "hw/mpi/charged/processor.hpp"

// The calls of hw/kernels without arithmetic: each takes its layer's time on the simulated processor.
namespace spillway::kernels {
namespace {

template <typename Layer>
void charge(const Layer& layer, const Execution& execution, std::int64_t blocks = 1) {
  mpi::processor().compute(layer.layer, blocks, execution);
}

}  // namespace

void run(const Convolution& layer, const float*, const ConvolutionWeights&, const float*, float*,
         const Execution& execution) {
  charge(layer, execution, blocks(layer));
}

void run(const TransposedConvolution& layer, const float*, const float*, const float*, float*,
         const Execution& execution) {
  charge(layer, execution);
}

void run(const Dense& layer, const float*, const DenseWeights&, float*, const Execution& execution) {
  charge(layer, execution, blocks(layer));
}

void run(const MatrixProduct& layer, const float*, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Pool& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution, blocks(layer));
}

void run(const Normalization& layer, const float*, const float*, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const InstanceNormalization& layer, const float*, const float*, const float*, float*,
         const Execution& execution) {
  charge(layer, execution);
}

void run(const LocalResponseNormalization& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Pointwise& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Elementwise& layer, const float* const*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Softmax& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Concat& layer, const float* const*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Rearrangement& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Pad& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Reduction& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

void run(const Copy& layer, const float*, float*, const Execution& execution) {
  charge(layer, execution);
}

std::size_t scratch_bytes(const Convolution&, int) {
  return 0;
}

std::size_t scratch_bytes(const Pool&, int) {
  return 0;
}

}  // namespace spillway::kernels
