#include <algorithm>

#include "sim/tiling/cut.hpp"
#include "sim/tiling/refusal.hpp"

/// Rule `paper-counts`: closest to the published task counts. One byte an element; everything must be smaller than a
/// buffer, not at most as large.
namespace spillway::tiling {
namespace {

/// Input rows charged for `tile` output rows: s t + 2 p. Too few for a window that is larger than stride and pads; a
/// tile is counted as one buffer all the same.
std::uint64_t extent(std::uint32_t tile, std::uint32_t stride, std::uint32_t pads) {
  return std::uint64_t{stride} * tile + pads;
}

std::uint64_t input_bytes(const SwapLayer& layer, std::uint32_t height, std::uint32_t width) {
  return extent(height, layer.stride_height, layer.pad_top + layer.pad_bottom) *
         extent(width, layer.stride_width, layer.pad_left + layer.pad_right) * layer.input_channels;
}

bool fits(const SwapLayer& layer, const Budget& budget, std::uint32_t height, std::uint32_t width) {
  return (layer.flattened || input_bytes(layer, height, width) < budget.buffer_bytes) &&
         std::uint64_t{height} * width * layer.channels < budget.buffer_bytes;
}

/// The fewest equal divisions, the same number along input channels and filters, that make a block smaller than a
/// buffer.
void cut_weights(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  const std::uint32_t filter_channels = layer.published_filter_channels;
  const std::uint32_t divisions = std::max(filter_channels, layer.channels);
  cut.filter_bytes = std::uint64_t{filter_channels} * layer.kernel_elements;
  for (std::uint32_t n = 1; n <= divisions; ++n) {
    const std::uint64_t piece_channels = ceil_divide(filter_channels, n);
    cut.chunk_filters = static_cast<std::uint32_t>(ceil_divide(layer.channels, n));
    cut.piece_bytes = piece_channels * layer.kernel_elements;
    cut.pieces = static_cast<std::uint32_t>(ceil_divide(filter_channels, piece_channels));
    if (cut.piece_bytes * cut.chunk_filters < budget.buffer_bytes) return;
  }
  throw exceeds_buffer(layer, "one channel of one filter, which must be smaller than a buffer,", layer.kernel_elements,
                       budget.buffer_bytes);
}

Cut channels(const SwapLayer& layer, const Budget& budget) {
  if (!fits(layer, budget, 1, 1)) {
    const std::uint64_t input = layer.flattened ? 0 : input_bytes(layer, 1, 1);
    throw exceeds_buffer(layer, "a tile of one pixel, which must be smaller than a buffer,",
                         std::max<std::uint64_t>(input, layer.channels), budget.buffer_bytes);
  }
  Cut cut;
  cut.tile_channels = layer.channels;
  cut.parts = layer.sources;
  if (layer.flattened) {
    cut.input_buffers = ceil_divide(layer.input_channels, budget.buffer_bytes);
    const auto part = static_cast<std::uint32_t>(ceil_divide(layer.input_channels, cut.input_buffers));
    cut.parts = cut_parts(layer.sources, layer.input_channels, part);
  }
  cut_weights(layer, budget, cut);
  return cut;
}

void map(const SwapLayer& layer, const Budget& budget, Cut& cut) {
  std::uint32_t height = layer.height, width = layer.width;
  for (bool halve_height = true; !fits(layer, budget, height, width); halve_height = !halve_height) {
    std::uint32_t& side = halve_height ? height : width;
    side = std::max<std::uint32_t>(side / 2, 1);
  }
  cut.tile_height = height;
  cut.tile_width = width;
}

}  // namespace

const RuleSteps paper_counts_rule{channels, map, Lowering::weights_only, core::CardLayout::contiguous};

}  // namespace spillway::tiling
