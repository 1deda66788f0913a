#include "sim/core/layout.hpp"

namespace spillway::core {
namespace {

/// `count` extents of `length` bytes, `step` bytes apart, the first at `begin`, each widened to sectors.
std::uint64_t widened(std::uint64_t begin, std::uint32_t length, std::uint32_t step, std::uint32_t count) {
  std::uint64_t bytes = 0;
  for (; count > 0; --count, begin += step) {
    bytes += whole_sectors(begin + length) - begin / sector_bytes * sector_bytes;
  }
  return bytes;
}

/// Bytes that elements [range) of a producer's stored tiles move, counted in the order of the storage.
std::uint64_t vector_bytes(const Layer& producer, Range range) {
  std::uint64_t bytes = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t tile = 0; begin < range.last; ++tile) {
    const auto elements = static_cast<std::uint32_t>(output_region(producer, tile).elements());
    const Range part = common(range, {begin, begin + elements});
    if (!part.empty()) {
      bytes += widened(std::uint64_t{part.first - begin} * producer.element_bytes, part.size() * producer.element_bytes,
                       0, 1);
    }
    begin += elements;
  }
  return bytes;
}

PlaneMap map_of(const Layer& layer) {
  return {layer.channels, layer.height, layer.width, layer.plane_channels, layer.element_bytes};
}

}  // namespace

std::uint64_t bytes_in_planes(const PlaneMap& map, const Region& box) {
  if (box.columns.empty()) return 0;
  std::uint64_t bytes = 0;
  const std::uint32_t step = map.plane_channels;
  for (std::uint32_t first = box.channels.first / step * step; first < box.channels.last; first += step) {
    const std::uint32_t element = common({first, first + step}, {0, map.channels}).size() * map.element_bytes;
    bytes += box.rows.size() * widened(std::uint64_t{box.columns.first} * element, box.columns.size() * element, 0, 1);
  }
  return bytes;
}

std::uint64_t vector_bytes_in_planes(const PlaneMap& map, Range range) {
  std::uint64_t bytes = 0;
  std::uint32_t begin = 0;
  for (std::uint32_t first = 0; begin < range.last; first += map.plane_channels) {
    const std::uint32_t row = common({first, first + map.plane_channels}, {0, map.channels}).size() * map.width;
    const Range part = common(range, {begin, begin + row * map.height});
    if (!part.empty()) {
      const std::uint32_t rows = (part.last - begin + row - 1) / row - (part.first - begin) / row;
      bytes += rows * whole_sectors(std::uint64_t{row} * map.element_bytes);
    }
    begin += row * map.height;
  }
  return bytes;
}

std::uint64_t output_bytes_in_planes(const Layer& layer, std::uint32_t tile) {
  return bytes_in_planes(map_of(layer), output_region(layer, tile));
}

BoxRead cheapest_read(const Region& tile, const Region& box, std::uint32_t element_bytes) {
  const std::uint32_t element = tile.channels.size() * element_bytes;
  const std::uint32_t row = tile.columns.size() * element;
  const std::uint32_t rows = box.rows.size();
  const std::uint64_t first_row = std::uint64_t{box.rows.first - tile.rows.first} * row;
  const std::uint64_t first = first_row + std::uint64_t{box.columns.first - tile.columns.first} * element;

  BoxRead least{widened(first_row, rows * row, 0, 1), ReadBy::tile_rows};
  const std::uint64_t by_row = widened(first, box.columns.size() * element, row, rows);
  if (by_row < least.bytes) least = {by_row, ReadBy::box_rows};
  if (box.channels.size() < tile.channels.size()) {
    std::uint64_t by_element = 0;
    const std::uint64_t channel = std::uint64_t{box.channels.first - tile.channels.first} * element_bytes;
    for (std::uint32_t y = 0; y < rows; ++y) {
      by_element += widened(first + std::uint64_t{y} * row + channel, box.channels.size() * element_bytes, element,
                            box.columns.size());
    }
    if (by_element < least.bytes) least = {by_element, ReadBy::elements};
  }
  return least;
}

std::uint64_t part_bytes_on_card(const Plan& plan, const Layer& layer, const Part& part, std::uint32_t tile) {
  Region need = input_region(layer, part, tile);
  if (need.channels.empty()) return 0;
  const std::uint32_t shift = part.producer_channel - part.first_channel;
  need.channels = {need.channels.first + shift, need.channels.last + shift};

  if (plan.layout == CardLayout::planes) {
    const PlaneMap map = part.producer == network_input
                             ? PlaneMap{plan.input_channels, plan.input_height, plan.input_width,
                                        plan.input_plane_channels, layer.element_bytes}
                             : map_of(plan.layers[part.producer]);
    return layer.flattened ? vector_bytes_in_planes(map, need.channels) : bytes_in_planes(map, need);
  }
  if (part.producer == network_input) {
    if (layer.flattened) {
      return widened(std::uint64_t{need.channels.first} * layer.element_bytes,
                     need.channels.size() * layer.element_bytes, 0, 1);
    }
    const Region map{{0, plan.input_channels}, {0, layer.input_height}, {0, layer.input_width}};
    return cheapest_read(map, need, layer.element_bytes).bytes;
  }
  const Layer& producer = plan.layers[part.producer];
  if (layer.flattened) return vector_bytes(producer, need.channels);

  std::uint64_t bytes = 0;
  for (std::uint32_t group = need.channels.first / producer.tile_channels;
       group * producer.tile_channels < need.channels.last; ++group) {
    for (std::uint32_t row = need.rows.first / producer.tile_height; row * producer.tile_height < need.rows.last;
         ++row) {
      for (std::uint32_t column = need.columns.first / producer.tile_width;
           column * producer.tile_width < need.columns.last; ++column) {
        const Region stored = output_region(producer, (group * producer.rows + row) * producer.columns + column);
        const Region box{common(need.channels, stored.channels), common(need.rows, stored.rows),
                         common(need.columns, stored.columns)};
        bytes += cheapest_read(stored, box, producer.element_bytes).bytes;
      }
    }
  }
  return bytes;
}

}  // namespace spillway::core
