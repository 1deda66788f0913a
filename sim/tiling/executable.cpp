#include "sim/tiling/executable.hpp"

#include <fmt/format.h>

#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::tiling {
namespace {

bool whole_sectors_only(std::uint64_t begin, std::uint64_t bytes) {
  return begin % core::sector_bytes == 0 && bytes % core::sector_bytes == 0;
}

bool output_is_one_transfer(const core::Layer& layer, std::uint32_t tile) {
  const core::Region region = core::output_region(layer, tile);
  const std::uint64_t row = std::uint64_t{layer.width} * layer.channels;
  return layer.groups == 1 && layer.columns == 1 && whole_sectors_only(region.rows.first * row, region.elements());
}

/// Of a layer with one group: rule `paper` gives a part all channels of its producer.
bool input_is_one_transfer(const core::Layer& layer, const core::Part& part, std::uint32_t tile) {
  const core::Region region = core::input_region(layer, part, tile);
  if (layer.flattened) return whole_sectors_only(part.producer_channel, region.elements());
  const std::uint64_t row = std::uint64_t{layer.input_width} * part.channels;
  return region.columns.size() == layer.input_width && whole_sectors_only(region.rows.first * row, region.elements());
}

bool maps_are_single_transfers(const SwapPlan& plan, const core::Layer& layer) {
  for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
    if (!output_is_one_transfer(layer, tile)) return false;
    for (std::uint32_t part = 0; part < layer.parts; ++part) {
      if (!input_is_one_transfer(layer, plan.parts[layer.first_part + part], tile)) return false;
    }
  }
  return true;
}

/// What a layer of rule `paper` has against being run.
std::string_view objection(const SwapPlan& plan, const core::Layer& layer) {
  if (layer.has_weights() && layer.filter_bytes != layer.filter_work) {
    return "its weights are counted as dense, and the network has no such bytes";
  }
  if (layer.pieces > 1) return "its filters are cut, and no buffer holds the partial sums";
  if (!maps_are_single_transfers(plan, layer)) {
    return "a tile of its maps is no whole number of rows that begins and ends with a sector of the card";
  }
  if (!whole_sectors_only(0, std::uint64_t{layer.chunk_filters} * layer.filter_bytes)) {
    return "a chunk of its weights does not end with a sector of the card";
  }
  return {};
}

}  // namespace

std::string why_counting_only(const SwapPlan& plan) {
  if (plan.request.rule == Rule::halo || plan.request.rule == Rule::min_traffic) return {};
  if (plan.request.rule == Rule::paper_counts) {
    return "rule paper-counts cuts filters where no buffer holds the partial sums, and leaves out all layers without "
           "weights";
  }
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    if (const std::string_view reason = objection(plan, plan.layers[row]); !reason.empty()) {
      return fmt::format(
          "rule paper charges every operation as one transfer of exactly its bytes, but layer `{}` cannot "
          "be moved so: {}",
          plan.layer_names[row], reason);
    }
  }
  return {};
}

}  // namespace spillway::tiling
