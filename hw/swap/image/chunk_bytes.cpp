#include "hw/swap/image/chunk_bytes.hpp"

#include "hw/swap/card_map.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::Layer;
using core::Range;

/// Appends elements of a layer's weights to a chunk.
class Writer {
 public:
  Writer(std::vector<std::uint8_t>& out, std::span<const std::uint8_t> weights, std::uint32_t element_bytes)
      : out_(out), weights_(weights), bytes_(element_bytes) {}

  void element(std::uint64_t number) {
    const auto from = weights_.begin() + static_cast<std::ptrdiff_t>(number * bytes_);
    out_.insert(out_.end(), from, from + bytes_);
  }

 private:
  std::vector<std::uint8_t>& out_;
  std::span<const std::uint8_t> weights_;
  std::ptrdiff_t bytes_;
};

/// One filter's part of a chunk of a convolution: by part of the input, kernel row, kernel column, channel.
void write_filter(Writer& writer, std::span<const core::Part> parts, const LayerOperator& layer_operator,
                  std::uint32_t filter, Range channels) {
  const std::uint32_t own = layer_operator.filter_channels;
  const std::uint32_t base = filter / layer_operator.group_filters * own;
  const std::uint32_t height = layer_operator.window.kernel_height, width = layer_operator.window.kernel_width;
  for (const core::Part& part : parts) {
    const Range common = core::common({part.first_channel, part.first_channel + part.channels},
                                      {base + channels.first, base + channels.last});
    for (std::uint32_t y = 0; y < height; ++y) {
      for (std::uint32_t x = 0; x < width; ++x) {
        for (std::uint32_t c = common.first; c < common.last; ++c)
          writer.element(((std::uint64_t{filter} * own + (c - base)) * height + y) * width + x);
      }
    }
  }
}

}  // namespace

std::vector<std::uint8_t> chunk_bytes(const core::Plan& plan, std::size_t row, const LayerOperator& layer_operator,
                                      std::span<const std::uint8_t> weights,
                                      const std::vector<std::uint32_t>& vector_order, std::uint32_t tile,
                                      std::uint32_t chunk) {
  const Layer& layer = plan.layers[row];
  const std::uint32_t own = layer.channelwise ? 1 : layer_operator.filter_channels;
  const std::uint32_t channel_bytes = layer.filter_bytes / own;
  const std::uint32_t piece = chunk % layer.pieces;
  const std::uint32_t first_channel = piece * (layer.piece_bytes / channel_bytes);
  const Range channels{first_channel, first_channel + piece_bytes_of(layer, piece) / channel_bytes};
  const std::uint32_t first =
      core::output_region(layer, tile).channels.first + chunk / layer.pieces * layer.chunk_filters;
  const std::uint32_t kernel = std::uint32_t{layer_operator.window.kernel_height} * layer_operator.window.kernel_width;

  std::vector<std::uint8_t> bytes;
  Writer writer(bytes, weights, layer.element_bytes);
  for (std::uint32_t filter = first; filter < first + core::filters_of(layer, tile, chunk); ++filter) {
    switch (layer_operator.kernel) {
      case Kernel::dense:
        for (std::uint32_t i = channels.first; i < channels.last; ++i)
          writer.element(std::uint64_t{filter} * own + vector_order[i]);
        break;
      case Kernel::depthwise:
        for (std::uint32_t i = 0; i < kernel; ++i)
          writer.element(std::uint64_t{filter} * kernel + i);
        break;
      default:
        write_filter(writer, plan.parts.subspan(layer.first_part, layer.parts), layer_operator, filter, channels);
    }
  }
  bytes.resize(core::whole_sectors(bytes.size()));
  return bytes;
}

}  // namespace spillway::execution
