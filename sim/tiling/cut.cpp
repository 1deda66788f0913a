#include "sim/tiling/cut.hpp"

#include <algorithm>

namespace spillway::tiling {

std::uint32_t largest_divisor(std::uint32_t count, std::uint64_t limit) {
  auto divisor = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, limit));
  while (divisor > 1 && count % divisor != 0)
    --divisor;
  return std::max<std::uint32_t>(divisor, 1);
}

std::uint64_t channels_read(const SwapLayer& layer, std::uint32_t tile_channels) {
  if (!layer.channelwise) return layer.input_channels;
  const std::uint64_t groups = ceil_divide(layer.channels, tile_channels);
  const std::uint64_t neighbours = std::min<std::uint64_t>(groups - 1, 2) * layer.channel_halo;
  return std::min<std::uint64_t>(tile_channels + neighbours, layer.input_channels) * layer.operands;
}

std::vector<core::Part> cut_parts(const std::vector<core::Part>& sources, std::uint32_t block, std::uint32_t step) {
  std::vector<core::Part> parts;
  for (core::Part rest : sources) {
    while (rest.channels > 0) {
      const std::uint32_t in_block = rest.first_channel % block;
      const std::uint32_t length = std::min({rest.channels, step - in_block % step, block - in_block});
      parts.push_back({rest.first_channel, length, rest.producer_channel, rest.producer});
      rest.first_channel += length;
      rest.producer_channel += length;
      rest.channels -= length;
    }
  }
  return parts;
}

}  // namespace spillway::tiling
