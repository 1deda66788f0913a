#include "experiments/cli/intensity.hpp"

#include <cstddef>

namespace spillway::cli {

std::vector<Intensity> intensities(const models::Network& network, const std::vector<tiling::SwapLayer>& layers,
                                   models::ElementType element, const platforms::Board& board,
                                   const platforms::Card& card) {
  const auto bytes = static_cast<std::uint64_t>(models::bytes_of(element));
  std::vector<Intensity> result;
  for (const tiling::SwapLayer& layer : layers) {
    const std::uint64_t inputs =
        std::uint64_t{layer.input_channels} * layer.input_height * layer.input_width * layer.operands;
    const std::uint64_t outputs = std::uint64_t{layer.channels} * layer.height * layer.width;
    Intensity one;
    one.work = outputs * layer.filter_work;
    one.input_bytes = inputs * bytes;
    one.weight_bytes = static_cast<std::uint64_t>(network.weight_bytes(layer.node, element));
    one.output_bytes = outputs * bytes;
    one.compute_s = static_cast<double>(one.work) / board.rates[static_cast<std::size_t>(layer.work_class)].value;
    one.io_s = static_cast<double>(one.input_bytes + one.weight_bytes) / card.read_bandwidth.value +
               static_cast<double>(one.output_bytes) / card.write_bandwidth.value;
    result.push_back(one);
  }
  return result;
}

}  // namespace spillway::cli
