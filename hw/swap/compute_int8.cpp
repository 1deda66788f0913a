#include "hw/swap/compute_int8.hpp"

#include "hw/kernels/int8/run.hpp"

namespace spillway::execution {
namespace {

using core::Layer;

int8::Depthwise depthwise_of(const LayerOperator& layer_operator) {
  return {layer_operator.window, nullptr, {}};
}

/// Input elements of a filter in the layer's largest chunk.
std::uint32_t chunk_elements(const Layer& layer, const LayerOperator& layer_operator) {
  const std::uint32_t kernel = std::uint32_t{layer_operator.window.kernel_height} * layer_operator.window.kernel_width;
  if (layer.pieces == 1) return layer_operator.filter_channels * kernel;
  const std::uint32_t last = layer.filter_bytes - (layer.pieces - 1) * layer.piece_bytes;
  return (last > layer.piece_bytes ? last : layer.piece_bytes) / layer.element_bytes;
}

void add(const QuantizedLayer& quantized, const TileJob& job, const int8::Input& map, const int8::Output& output) {
  int8::Input operands[int8::most_operands];
  std::uint32_t begin = 0;
  for (std::uint32_t i = 0; i < job.operands; ++i) {
    operands[i] = {map.height, map.width, job.patches.subspan(begin, job.operand_end[i] - begin)};
    begin = job.operand_end[i];
  }
  int8::add({quantized.rescales, quantized.result, quantized.clamp}, std::span(operands).first(job.operands), output);
}

}  // namespace

std::uint32_t wanted_scratch(const core::Plan& plan, std::span<const LayerOperator> operators) {
  std::uint32_t most = int8::least_scratch;
  for (std::size_t row = 0; row < operators.size(); ++row) {
    const LayerOperator& layer_operator = operators[row];
    std::uint32_t wanted = 0;
    if (layer_operator.kernel == Kernel::convolution)
      wanted = int8::wanted_scratch(chunk_elements(plan.layers[row], layer_operator));
    if (layer_operator.kernel == Kernel::depthwise)
      wanted = int8::wanted_scratch(depthwise_of(layer_operator), plan.layers[row].tile_width);
    most = wanted > most ? wanted : most;
  }
  return most;
}

std::uint32_t least_scratch(std::span<const LayerOperator> operators) {
  std::uint32_t most = int8::least_scratch;
  for (const LayerOperator& layer_operator : operators) {
    if (layer_operator.kernel != Kernel::depthwise) continue;
    const std::uint32_t least = int8::least_scratch_of(depthwise_of(layer_operator));
    most = least > most ? least : most;
  }
  return most;
}

void compute_int8(const Layer& layer, const LayerOperator& layer_operator, const QuantizedLayer& quantized,
                  const TileJob& job, std::span<std::int16_t> scratch) {
  const int8::Input input{layer.flattened ? 1 : layer.input_height, layer.flattened ? 1 : layer.input_width,
                          job.patches};
  const int8::Output output{job.output_box, job.output, job.sums};
  const int8::Chunk chunk{job.filters, job.filter_channels, job.weights};
  switch (layer_operator.kernel) {
    case Kernel::convolution:
      return int8::convolve({layer_operator.window, layer_operator.filter_channels, layer_operator.group_filters,
                             job.parts, quantized.channels, quantized.clamp},
                            input, chunk, output, scratch);
    case Kernel::depthwise:
      return int8::convolve_depthwise({layer_operator.window, quantized.channels, quantized.clamp}, input, chunk,
                                      output, scratch);
    case Kernel::dense:
      return int8::multiply({layer_operator.filter_channels, quantized.channels, quantized.clamp}, input, chunk,
                            output);
    case Kernel::max_pool:
      return int8::pool(int8::MaxPool{layer_operator.window, quantized.clamp}, input, output);
    case Kernel::average_pool:
      return int8::pool(
          int8::AveragePool{layer_operator.window, layer_operator.count_padding, layer_operator.pad_bottom,
                            layer_operator.pad_right, quantized.rescales, quantized.clamp},
          input, output);
    case Kernel::addition:
      return add(quantized, job, input, output);
  }
}

}  // namespace spillway::execution
