#include "hw/swap/image/storage_order.hpp"

#include <algorithm>
#include <numeric>

#include "hw/swap/card_map.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::Layer;
using core::Region;

/// Appends the elements of a box, by row, column, channel; rows are `row_bytes` apart, 0: without gaps.
void append(std::vector<StoredElement>& elements, const Layer& layer, const Region& box, std::uint64_t begin,
            std::uint64_t row_bytes) {
  const std::uint32_t bytes = layer.element_bytes;
  if (row_bytes == 0) row_bytes = std::uint64_t{box.columns.size()} * box.channels.size() * bytes;
  for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y, begin += row_bytes) {
    std::uint64_t at = begin;
    for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x) {
      for (std::uint32_t c = box.channels.first; c < box.channels.last; ++c, at += bytes)
        elements.push_back({at, (c * layer.height + y) * layer.width + x});
    }
  }
}

Region whole(const Layer& layer) {
  return {{0, layer.channels}, {0, layer.height}, {0, layer.width}};
}

/// For each element of a node's output, in the network's order, its number among those of the rows that it is made of,
/// each in its own order, one row after the other.
std::vector<std::uint32_t> elements_of(const models::Network& network, const std::vector<models::NodeId>& rows,
                                       models::NodeId id) {
  const models::Node& node = network.node(id);
  if (node.op == models::Operator::input || std::ranges::find(rows, id) != rows.end()) {
    std::vector<std::uint32_t> own(static_cast<std::size_t>(node.output.elements()));
    std::iota(own.begin(), own.end(), 0U);
    return own;
  }
  std::vector<std::uint32_t> all;
  for (const models::NodeId input : node.inputs) {
    const auto before = static_cast<std::uint32_t>(all.size());
    for (const std::uint32_t element : elements_of(network, rows, input))
      all.push_back(before + element);
  }
  if (node.op != models::Operator::transpose) return all;

  const models::Shape from = network.node(node.inputs.front()).output;
  const std::int64_t strides[] = {from.height * from.width, from.width, 1};
  std::vector<std::uint32_t> permuted;
  for (std::int64_t c = 0; c < node.output.channels; ++c) {
    for (std::int64_t y = 0; y < node.output.height; ++y) {
      for (std::int64_t x = 0; x < node.output.width; ++x) {
        const std::int64_t at =
            c * strides[node.permutation[0]] + y * strides[node.permutation[1]] + x * strides[node.permutation[2]];
        permuted.push_back(all[static_cast<std::size_t>(at)]);
      }
    }
  }
  return permuted;
}

}  // namespace

std::vector<StoredElement> storage_order(const Layer& layer, core::CardLayout layout) {
  std::vector<StoredElement> elements;
  if (layout == core::CardLayout::planes && !layer.keeps_output()) {
    std::uint64_t begin = 0;
    for (std::uint32_t block = 0; block * layer.plane_channels < layer.channels; ++block) {
      Region box = whole(layer);
      box.channels = core::common(box.channels, {block * layer.plane_channels, (block + 1) * layer.plane_channels});
      const std::uint64_t row = std::uint64_t{plane_row_sectors(layer, block)} * core::sector_bytes;
      append(elements, layer, box, begin, row);
      begin += row * layer.height;
    }
  } else if (layout == core::CardLayout::contiguous) {
    append(elements, layer, whole(layer), 0, 0);
  } else {
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile)
      append(elements, layer, core::output_region(layer, tile),
             std::uint64_t{tile_offset(layer, tile)} * core::sector_bytes, 0);
  }
  return elements;
}

std::vector<std::uint32_t> vector_order(const core::Plan& plan, const models::Network& network,
                                        const std::vector<models::NodeId>& rows, std::size_t row) {
  const Layer& layer = plan.layers[row];
  const std::vector<std::uint32_t> sources = elements_of(network, rows, network.node(rows[row]).inputs.front());
  std::vector<std::uint32_t> number(sources.size());
  for (std::size_t i = 0; i < sources.size(); ++i)
    number[sources[i]] = static_cast<std::uint32_t>(i);

  std::vector<std::uint32_t> order(sources.size());
  for (const core::Part& part : plan.parts.subspan(layer.first_part, layer.parts)) {
    if (part.channels == 0) continue;
    const Layer stored =
        part.producer == core::network_input ? input_as_layer(plan, layer.element_bytes) : plan.layers[part.producer];
    const std::vector<StoredElement> elements = storage_order(stored, plan.layout);
    const std::uint32_t source = part.first_channel - part.producer_channel;
    for (std::uint32_t i = 0; i < part.channels; ++i)
      order[part.first_channel + i] = number[source + elements[part.producer_channel + i].element];
  }
  return order;
}

}  // namespace spillway::execution
