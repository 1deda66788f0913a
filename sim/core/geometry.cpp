#include "sim/core/geometry.hpp"

#include "sim/core/layout.hpp"

namespace spillway::core {
namespace {

constexpr std::uint32_t smaller(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

/// Rows (or columns) of the input that output rows `out` read, clipped to the map.
Range receptive_field(Range out, std::uint32_t stride, std::uint32_t pad, std::uint32_t kernel, std::uint32_t size) {
  const std::uint32_t begin = out.first * stride;
  const std::uint32_t end = (out.last - 1) * stride + kernel;
  return {begin > pad ? smaller(begin - pad, size) : 0, end > pad ? smaller(end - pad, size) : 0};
}

Range slice(std::uint32_t index, std::uint32_t step, std::uint32_t size) {
  return {index * step, smaller((index + 1) * step, size)};
}

std::uint32_t piece_bytes(const Layer& layer, std::uint32_t piece) {
  return piece + 1 < layer.pieces ? layer.piece_bytes : layer.filter_bytes - (layer.pieces - 1) * layer.piece_bytes;
}

}  // namespace

TilePosition position_of(const Layer& layer, std::uint32_t tile) {
  const std::uint32_t line = tile / layer.columns;
  const std::uint32_t group = line / layer.rows;
  return {group, line - group * layer.rows, tile - line * layer.columns};
}

Region output_region(const Layer& layer, std::uint32_t tile) {
  const TilePosition at = position_of(layer, tile);
  return {slice(at.group, layer.tile_channels, layer.channels), slice(at.row, layer.tile_height, layer.height),
          slice(at.column, layer.tile_width, layer.width)};
}

Region input_region(const Layer& layer, const Part& part, std::uint32_t tile) {
  Range channels{part.first_channel, part.first_channel + part.channels};
  if (layer.flattened) return {channels, {0, 1}, {0, 1}};
  const Region out = output_region(layer, tile);
  if (layer.channelwise) {
    const std::uint32_t halo = layer.channel_halo;
    const std::uint32_t first = out.channels.first > halo ? out.channels.first - halo : 0;
    if (channels.first < first) channels.first = first;
    channels.last = smaller(channels.last, out.channels.last + halo);
    if (channels.last < channels.first) channels.last = channels.first;
  }
  return {channels,
          receptive_field(out.rows, layer.stride_height, layer.pad_top, layer.kernel_height, layer.input_height),
          receptive_field(out.columns, layer.stride_width, layer.pad_left, layer.kernel_width, layer.input_width)};
}

std::uint32_t chunks_of(const Layer& layer, std::uint32_t tile) {
  if (layer.groups == 1 || layer.chunks == 1) return layer.chunks;
  const std::uint32_t filters = output_region(layer, tile).channels.size();
  return (filters + layer.chunk_filters - 1) / layer.chunk_filters * layer.pieces;
}

std::uint32_t filters_of(const Layer& layer, std::uint32_t tile, std::uint32_t chunk) {
  const std::uint32_t filters = output_region(layer, tile).channels.size();
  const Range block = slice(chunk / layer.pieces, layer.chunk_filters, filters);
  return block.size();
}

std::uint64_t bytes_of(const Plan& plan, const Task& task) {
  const Layer& layer = plan.layers[task.layer];
  const bool on_card = plan.layout == CardLayout::tile_major;
  std::uint64_t bytes = 0;
  switch (task.kind) {
    case TaskKind::read_input: {
      const Part& part = plan.parts[layer.first_part + task.index];
      if (on_card) return part_bytes_on_card(plan, layer, part, task.tile);
      return input_region(layer, part, task.tile).elements() * layer.element_bytes;
    }
    case TaskKind::read_weights:
      bytes = std::uint64_t{filters_of(layer, task.tile, task.index)} * piece_bytes(layer, task.index % layer.pieces);
      break;
    case TaskKind::write_output:
      bytes = output_region(layer, task.tile).elements() * layer.element_bytes;
      break;
    case TaskKind::compute:
      return 0;
  }
  return on_card ? whole_sectors(bytes) : bytes;
}

std::uint64_t work_of(const Plan& plan, const Task& task) {
  if (task.kind != TaskKind::compute) return 0;
  const Layer& layer = plan.layers[task.layer];
  const Region out = output_region(layer, task.tile);
  const std::uint64_t pixels = std::uint64_t{out.rows.size()} * out.columns.size();
  if (!layer.has_weights()) return pixels * out.channels.size() * layer.filter_work;
  // A piece's share of the filter's work is that of its bytes; taking differences of the rounded shares up to its two
  // ends keeps the sum exact.
  const std::uint32_t piece = task.index % layer.pieces;
  const std::uint64_t begin = std::uint64_t{piece} * layer.piece_bytes;
  const std::uint64_t end = begin + piece_bytes(layer, piece);
  const std::uint64_t work =
      layer.filter_work * end / layer.filter_bytes - layer.filter_work * begin / layer.filter_bytes;
  return pixels * filters_of(layer, task.tile, task.index) * work;
}

}  // namespace spillway::core
