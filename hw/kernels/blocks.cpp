#include "hw/kernels/lowering.hpp"
#include "hw/kernels/run.hpp"

// Apart from the layers' arithmetic: a library that only charges time has the same blocks.
namespace spillway::kernels {

std::int64_t blocks(const Convolution& layer) {
  return is_depthwise(layer) ? layer.batch * layer.output.channels : blocks_of(layer).count;
}

std::int64_t blocks(const Dense& layer) {
  return divide_up(layer.outputs, dense_block);
}

std::int64_t blocks(const Pool& layer) {
  return layer.batch * layer.input.channels;
}

}  // namespace spillway::kernels
