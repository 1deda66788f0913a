#include "elements.hpp"

#include <algorithm>

namespace spillway::oracle {
namespace {

/// Extends a range so that it holds one more coordinate.
void include(core::Range& range, std::uint32_t coordinate) {
  if (range.empty()) {
    range = {coordinate, coordinate + 1};
  } else {
    range = {std::min(range.first, coordinate), std::max(range.last, coordinate + 1)};
  }
}

}  // namespace

Elements::Elements(const core::Plan& plan) : plan_(plan) {
  for (const core::Layer& layer : plan.layers) {
    std::vector<std::uint32_t>& owners = owners_.emplace_back();
    std::vector<std::vector<std::uint32_t>>& tiles = elements_.emplace_back();
    for (std::uint32_t channel = 0; channel < layer.channels; ++channel) {
      for (std::uint32_t row = 0; row < layer.height; ++row) {
        for (std::uint32_t column = 0; column < layer.width; ++column) {
          const std::uint32_t group = channel / layer.tile_channels;
          const std::uint32_t tile =
              (group * layer.rows + row / layer.tile_height) * layer.columns + column / layer.tile_width;
          if (tile >= tiles.size()) tiles.resize(tile + 1);
          tiles[tile].push_back(static_cast<std::uint32_t>(owners.size()));
          owners.push_back(tile);
        }
      }
    }
  }
}

const core::Part& Elements::part(const TileName& name, std::uint32_t number) const {
  return plan_.parts[layer(name).first_part + number];
}

std::uint32_t Elements::tiles(core::LayerIndex layer) const {
  return static_cast<std::uint32_t>(elements_[layer].size());
}

core::Region Elements::output(const TileName& name) const {
  const core::Layer& row_of_plan = layer(name);
  core::Region box;
  for (const std::uint32_t element : elements_[name.layer][name.tile]) {
    include(box.columns, element % row_of_plan.width);
    include(box.rows, element / row_of_plan.width % row_of_plan.height);
    include(box.channels, element / row_of_plan.width / row_of_plan.height);
  }
  return box;
}

std::uint64_t Elements::output_elements(const TileName& name) const {
  return elements_[name.layer][name.tile].size();
}

core::Region Elements::input(const TileName& name, std::uint32_t number) const {
  const core::Layer& consumer = layer(name);
  const core::Part& source = part(name, number);
  const core::Range given{source.first_channel, source.first_channel + source.channels};
  if (consumer.flattened) return {given, {0, 1}, {0, 1}};

  core::Region box;
  std::set<std::uint32_t> own_channels;
  for (const std::uint32_t element : elements_[name.layer][name.tile]) {
    const std::int64_t column = element % consumer.width;
    const std::int64_t row = element / consumer.width % consumer.height;
    own_channels.insert(element / consumer.width / consumer.height);
    for (std::int64_t y = 0; y < consumer.kernel_height; ++y) {
      const std::int64_t input_row = row * consumer.stride_height - consumer.pad_top + y;
      if (input_row >= 0 && input_row < consumer.input_height) include(box.rows, static_cast<std::uint32_t>(input_row));
    }
    for (std::int64_t x = 0; x < consumer.kernel_width; ++x) {
      const std::int64_t input_column = column * consumer.stride_width - consumer.pad_left + x;
      if (input_column >= 0 && input_column < consumer.input_width) {
        include(box.columns, static_cast<std::uint32_t>(input_column));
      }
    }
  }
  for (std::uint32_t channel = given.first; channel < given.last; ++channel) {
    const bool needed =
        !consumer.channelwise || std::any_of(own_channels.begin(), own_channels.end(), [&](std::uint32_t own) {
          return channel + consumer.channel_halo >= own && channel <= own + consumer.channel_halo;
        });
    if (needed) include(box.channels, channel);
  }
  return box;
}

std::vector<std::uint32_t> Elements::parts(const TileName& name) const {
  std::vector<std::uint32_t> numbers;
  for (std::uint32_t number = 0; number < layer(name).parts; ++number) {
    if (!input(name, number).channels.empty()) numbers.push_back(number);
  }
  return numbers;
}

std::vector<std::uint32_t> Elements::reads(const TileName& name) const {
  std::vector<std::uint32_t> numbers = parts(name);
  std::erase_if(numbers, [&](std::uint32_t number) { return part(name, number).resident; });
  return numbers;
}

std::set<std::uint32_t> Elements::tiles_of_channel(core::LayerIndex row, std::uint32_t channel) const {
  const auto plane = static_cast<std::ptrdiff_t>(plan_.layers[row].height) * plan_.layers[row].width;
  const auto first = owners_[row].begin() + channel * plane;
  return {first, first + plane};
}

TileName Elements::reader_of_weights(const TileName& name) const {
  if (layer(name).weight_pins == 0) return name;
  return {name.layer, *tiles_of_channel(name.layer, output(name).channels.first).begin()};
}

std::set<TileName> Elements::sources(const TileName& name) const {
  std::set<TileName> sources;
  if (layer(name).flattened || layer(name).waits_for_all) {
    for (std::uint32_t number = 0; number < layer(name).parts; ++number) {
      const core::LayerIndex producer = part(name, number).producer;
      if (producer == core::network_input) continue;
      for (const std::uint32_t owner : owners_[producer])
        sources.insert({producer, owner});
    }
    return sources;
  }
  for (const std::uint32_t number : parts(name)) {
    const core::Part& source = part(name, number);
    if (source.producer == core::network_input) continue;
    const core::Layer& producer = plan_.layers[source.producer];
    if (layer(name).flattened) {
      for (const std::uint32_t owner : owners_[source.producer])
        sources.insert({source.producer, owner});
      continue;
    }
    const core::Region box = input(name, number);
    for (std::uint32_t channel = box.channels.first; channel < box.channels.last; ++channel) {
      const std::uint32_t producer_channel = channel - source.first_channel + source.producer_channel;
      for (std::uint32_t row = box.rows.first; row < box.rows.last; ++row) {
        for (std::uint32_t column = box.columns.first; column < box.columns.last; ++column) {
          const std::uint32_t element = (producer_channel * producer.height + row) * producer.width + column;
          sources.insert({source.producer, owners_[source.producer].at(element)});
        }
      }
    }
  }
  return sources;
}

std::vector<Chunk> Elements::chunks(const TileName& name) const {
  const core::Layer& consumer = layer(name);
  const core::Range filters = output(name).channels;
  if (consumer.filter_bytes == 0) return {{filters.size(), 0}};
  std::vector<Chunk> chunks;
  for (std::uint32_t first = filters.first; first < filters.last; first += consumer.chunk_filters) {
    const std::uint32_t block = std::min(consumer.chunk_filters, filters.last - first);
    std::uint32_t bytes_left = consumer.filter_bytes;
    for (std::uint32_t piece = 1; piece < consumer.pieces; ++piece) {
      chunks.push_back({block, consumer.piece_bytes});
      bytes_left -= consumer.piece_bytes;
    }
    chunks.push_back({block, bytes_left});
  }
  return chunks;
}

}  // namespace spillway::oracle
