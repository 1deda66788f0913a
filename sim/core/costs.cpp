#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::core {
namespace {

std::uint32_t piece_bytes(const Layer& layer, std::uint32_t piece) {
  return piece + 1 < layer.pieces ? layer.piece_bytes : layer.filter_bytes - (layer.pieces - 1) * layer.piece_bytes;
}

}  // namespace

std::uint32_t filters_of(const Layer& layer, std::uint32_t tile, std::uint32_t chunk) {
  const std::uint32_t filters = output_region(layer, tile).channels.size();
  const std::uint32_t first = chunk / layer.pieces * layer.chunk_filters;
  return filters - first < layer.chunk_filters ? filters - first : layer.chunk_filters;
}

std::uint64_t bytes_of(const Plan& plan, const Task& task) {
  const Layer& layer = plan.layers[task.layer];
  const bool on_card = plan.layout != CardLayout::contiguous;
  std::uint64_t bytes = 0;
  switch (task.kind) {
    case TaskKind::read_input: {
      const Part& part = plan.parts[layer.first_part + task.index];
      if (part.resident) return 0;
      if (on_card) return part_bytes_on_card(plan, layer, part, task.tile);
      return input_region(layer, part, task.tile).elements() * layer.element_bytes;
    }
    case TaskKind::read_weights:
      if (!reads_weights(layer, task.tile)) return 0;
      bytes = std::uint64_t{filters_of(layer, task.tile, task.index)} * piece_bytes(layer, task.index % layer.pieces);
      break;
    case TaskKind::write_output:
      if (layer.keeps_output()) return 0;
      if (plan.layout == CardLayout::planes) return output_bytes_in_planes(layer, task.tile);
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
