#include "min_traffic_brute_force.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <set>

namespace spillway::least_traffic {
namespace {

using core::network_input;
using core::Part;
using tiling::SwapLayer;

using Best = std::optional<Cost>;

void keep_least(Best& best, const Best& other) {
  if (other && (!best || *other < *best)) best = other;
}

std::uint64_t to_sectors(std::uint64_t bytes) {
  return (bytes + sector - 1) / sector * sector;
}

std::uint64_t buffers_for(std::uint64_t bytes, std::uint64_t buffer) {
  return (bytes + buffer - 1) / buffer;
}

MapShape output_of(const SwapLayer& layer) {
  return {layer.channels, layer.height, layer.width};
}

/// Channels of a block of a map: all where they are few, else as few as fill sectors to seven eighths.
std::uint32_t block_of(const MapShape& map, std::uint32_t element_bytes, std::uint32_t most_whole) {
  if (map.channels <= most_whole) return map.channels;
  for (std::uint32_t block = 1; block <= map.channels; ++block) {
    if (map.channels % block != 0) continue;
    const std::uint64_t row = std::uint64_t{map.width} * block * element_bytes;
    if (8 * row >= 7 * to_sectors(row)) return block;
  }
  return map.channels;
}

struct Tile {
  std::uint32_t channels = 1, height = 1, width = 1;
};

/// Which of a row's maps stay in SRAM.
struct Kept {
  bool input = false, output = false;
};

std::vector<Span> cut(std::uint32_t size, std::uint32_t step) {
  std::vector<Span> spans;
  for (std::uint32_t first = 0; first < size; first += step)
    spans.push_back({first, std::min(first + step, size)});
  return spans;
}

/// The tiles of an output, in the order of their numbers.
std::vector<Box> boxes_of(const SwapLayer& layer, const Tile& tile) {
  std::vector<Box> boxes;
  for (const Span channels : cut(layer.channels, tile.channels)) {
    for (const Span rows : cut(layer.height, tile.height)) {
      for (const Span columns : cut(layer.width, tile.width))
        boxes.push_back({channels, rows, columns});
    }
  }
  return boxes;
}

/// The card with blocks of one choice.
class Card {
 public:
  Card(const std::vector<SwapLayer>& layers, const MapShape& input, std::uint32_t element_bytes,
       std::uint32_t most_whole) {
    const auto add = [&](const MapShape& shape, std::uint32_t block) {
      blocks.push_back(block);
      maps_.push_back(StoredMap::planes(shape, block, element_bytes));
    };
    const std::uint32_t input_block = block_of(input, element_bytes, most_whole);
    for (const SwapLayer& layer : layers) {
      const MapShape shape = output_of(layer);
      const bool follows_source =
          layer.channelwise && layer.sources.size() == 1 && shape.height == 1 && shape.width == 1;
      if (follows_source && shape.channels > most_whole) {
        const core::LayerIndex source = layer.sources[0].producer;
        add(shape, source == network_input ? input_block : blocks.at(source));
      } else {
        add(shape, block_of(shape, element_bytes, most_whole));
      }
    }
    add(input, input_block);
  }

  const StoredMap& map_of(core::LayerIndex producer) const {
    return producer == network_input ? maps_.back() : maps_.at(producer);
  }

  std::vector<std::uint32_t> blocks;  ///< of each layer's output, then of the network's input

 private:
  std::vector<StoredMap> maps_;
};

/// All choices of one row.
class Row {
 public:
  Row(const std::vector<SwapLayer>& layers, core::LayerIndex index, const Card& card, const Device& device)
      : index_(index), layer_(layers.at(index)), card_(card), device_(device) {
    const std::uint64_t buffers = device.sram_bytes / device.buffer_bytes;
    input_pool_ = output_pool_ = buffers / 4;
    weight_pool_ = buffers - input_pool_ - output_pool_;
  }

  Best least(const Kept& kept) const {
    Best best;
    Tile tile;
    for (tile.channels = 1; tile.channels <= layer_.channels; ++tile.channels) {
      for (tile.height = 1; tile.height <= layer_.height; ++tile.height) {
        for (tile.width = 1; tile.width <= layer_.width; ++tile.width)
          keep_least(best, least_with(tile, kept));
      }
    }
    return best;
  }

 private:
  Best least_with(const Tile& tile, const Kept& kept) const {
    if (!possible(tile, kept)) return {};
    Cost maps;
    std::uint64_t largest_input = 0, largest_output = 0;
    for (const Box& box : boxes_of(layer_, tile)) {
      const Cost input = input_of(box, kept);
      largest_input = std::max(largest_input, input.bytes);
      maps = maps + input;
      if (kept.output) continue;
      const Cost output{card_.map_of(index_).bytes_to_write(box), 1};
      largest_output = std::max(largest_output, output.bytes);
      maps = maps + output;
    }
    if (kept.output) largest_output = std::uint64_t{tile.channels} * tile.height * tile.width * device_.element_bytes;
    if (buffers_for(largest_input, device_.buffer_bytes) > input_pool_) return {};
    const Best weights = least_weights(tile, kept, largest_output);
    return weights ? Best(maps + *weights) : Best();
  }

  /// Kept tiles must fit the pool; of those on the card no two may share a sector.
  bool possible(const Tile& tile, const Kept& kept) const {
    if (kept.output) return boxes_of(layer_, tile).size() + 1 <= output_pool_;
    const std::uint32_t block = card_.blocks.at(index_);
    const std::uint64_t row = std::uint64_t{tile.width} * block * device_.element_bytes;
    return (tile.width == layer_.width || row % sector == 0) &&
           (tile.channels == layer_.channels || tile.channels % block == 0);
  }

  Cost input_of(const Box& output, const Kept& kept) const {
    Cost cost;
    const Span rows =
        inputs_of(output.rows, layer_.stride_height, layer_.pad_top, layer_.kernel_height, layer_.input_height);
    const Span columns =
        inputs_of(output.columns, layer_.stride_width, layer_.pad_left, layer_.kernel_width, layer_.input_width);
    for (const Part& source : layer_.sources) {
      if (kept.input && source.producer == index_ - 1) continue;
      const StoredMap& map = card_.map_of(source.producer);
      Span channels{source.first_channel, source.first_channel + source.channels};
      if (layer_.channelwise) {
        const std::uint32_t halo = layer_.channel_halo, first = output.channels.first;
        channels = common(channels, {first > halo ? first - halo : 0, output.channels.last + halo});
      }
      if (channels.empty()) continue;
      const std::uint32_t down = source.first_channel, up = source.producer_channel;
      channels = {channels.first - down + up, channels.last - down + up};
      cost = cost +
             Cost{layer_.flattened ? map.bytes_to_read(channels) : map.bytes_to_read(Box{channels, rows, columns}), 1};
    }
    return cost;
  }

  /// The filters' bytes over all cuts and loop orders.
  Best least_weights(const Tile& tile, const Kept& kept, std::uint64_t output_bytes) const {
    const std::uint64_t buffer = device_.buffer_bytes;
    if (!layer_.has_weights()) return output_bytes <= buffer ? Best(Cost{}) : Best();
    const std::uint64_t channel = std::uint64_t{layer_.kernel_elements} * device_.element_bytes;
    const std::uint64_t filter = layer_.filter_channels * channel;
    Best best;
    if (filter <= buffer) {
      if (output_bytes > buffer) return {};
      for (std::uint32_t filters = 1; filters <= tile.channels && filters * filter <= buffer; ++filters)
        keep_least(best, over_loops(tile, kept, filters, {filter}));
      return best;
    }
    const std::uint64_t accumulators = device_.element_bytes == 1 ? std::uint64_t{4} * tile.height * tile.width : 0;
    if (output_bytes + accumulators > buffer) return {};
    for (std::uint32_t step = 1; step <= layer_.filter_channels && step * channel <= buffer; ++step) {
      std::vector<std::uint64_t> pieces;
      for (const Span piece : cut(layer_.filter_channels, step))
        pieces.push_back(piece.size() * channel);
      keep_least(best, over_loops(tile, kept, 1, pieces));
    }
    return best;
  }

  /// Blocks of `filters` filters, each block in `pieces` (bytes of one filter).
  Best over_loops(const Tile& tile, const Kept& kept, std::uint32_t filters,
                  const std::vector<std::uint64_t>& pieces) const {
    Cost once;
    std::uint64_t chunks_of_full_group = 0;
    for (const Span group : cut(layer_.channels, tile.channels)) {
      std::uint64_t chunks = 0;
      for (const Span block : cut(group.size(), filters)) {
        for (const std::uint64_t piece : pieces) {
          once = once + Cost{to_sectors(block.size() * piece), 1};
          ++chunks;
        }
      }
      chunks_of_full_group = std::max(chunks_of_full_group, chunks);
    }
    const std::uint64_t tiles = cut(layer_.height, tile.height).size() * cut(layer_.width, tile.width).size();
    Best best(Cost{once.bytes * tiles, once.tasks * tiles});
    if (chunks_of_full_group + 2 <= weight_pool_ && !kept.input) keep_least(best, once);
    return best;
  }

  core::LayerIndex index_;
  const SwapLayer& layer_;
  const Card& card_;
  const Device& device_;
  std::uint64_t input_pool_, weight_pool_, output_pool_;
};

bool reads(const SwapLayer& layer, std::size_t producer) {
  return std::ranges::any_of(layer.sources, [&](const Part& part) { return part.producer == producer; });
}

/// Whether the output of a row may be kept for the next one.
bool may_keep(const std::vector<SwapLayer>& layers, std::size_t row) {
  if (row + 1 == layers.size() || !reads(layers[row + 1], row)) return false;
  for (std::size_t other = row + 2; other < layers.size(); ++other) {
    if (reads(layers[other], row)) return false;
  }
  const SwapLayer& reader = layers[row + 1];
  const bool reads_others = std::ranges::any_of(reader.sources, [&](const Part& part) { return part.producer != row; });
  return !(reader.channelwise && reader.work_class != core::WorkClass::elementwise && reads_others);
}

/// The least with the blocks of one card: every choice of kept outputs, with the best of each row.
Best least_on(const std::vector<SwapLayer>& layers, const Card& card, const Device& device) {
  const std::size_t rows = layers.size();
  std::vector<std::array<Best, 3>> of_row;  // nothing kept, the input kept, the output kept
  for (std::size_t row = 0; row < rows; ++row) {
    const Row choices(layers, static_cast<core::LayerIndex>(row), card, device);
    std::array<Best, 3> least{choices.least({}), {}, {}};
    if (row > 0 && may_keep(layers, row - 1)) least[1] = choices.least({.input = true});
    if (may_keep(layers, row)) least[2] = choices.least({.output = true});
    of_row.push_back(least);
  }
  Best best;
  for (std::uint32_t kept = 0; kept < (1U << (rows - 1)); ++kept) {
    if ((kept & (kept << 1)) != 0) continue;
    Best sum(Cost{});
    for (std::size_t row = 0; row < rows && sum; ++row) {
      const bool output = (kept >> row & 1U) != 0, input = row > 0 && (kept >> (row - 1) & 1U) != 0;
      const Best& least = of_row[row][output ? 2 : input ? 1 : 0];
      sum = least ? Best(*sum + *least) : Best();
    }
    keep_least(best, sum);
  }
  return best;
}

}  // namespace

std::optional<Cost> least_cost(const std::vector<SwapLayer>& layers, const MapShape& network_input,
                               const Device& device) {
  constexpr std::uint32_t all = std::numeric_limits<std::uint32_t>::max();
  if (device.sram_bytes / device.buffer_bytes < 4) return {};
  Best best;
  std::set<std::vector<std::uint32_t>> seen;
  for (const std::uint32_t most_whole : {0U, 64U, 128U, 256U, 512U, 1024U, all}) {
    const Card card(layers, network_input, device.element_bytes, most_whole);
    if (seen.insert(card.blocks).second) keep_least(best, least_on(layers, card, device));
  }
  return best;
}

}  // namespace spillway::least_traffic
