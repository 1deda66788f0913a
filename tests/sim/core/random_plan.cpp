#include "random_plan.hpp"

#include <algorithm>

namespace spillway::oracle {

std::uint64_t Random::next() {
  state_ += 0x9E3779B97F4A7C15U;
  std::uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xBF58476D1CE4E5B9U;
  mixed = (mixed ^ (mixed >> 27)) * 0x94D049BB133111EBU;
  return mixed ^ (mixed >> 31);
}

std::uint32_t Random::between(std::uint32_t first, std::uint32_t last) {
  return first + static_cast<std::uint32_t>(next() % (std::uint64_t{last} - first + 1));
}

namespace {

/// What a plan is at most. The core keeps bits in words of 32, so a few plans have more tiles or layers than that.
struct Extent {
  std::uint32_t layers, tiles_of_a_layer, tasks_of_a_frame, height, width, frames;
  std::uint32_t concatenated;  ///< percent of the layers that may read a concatenation
  std::uint32_t dense;         ///< percent of the layers that are dense
  std::uint32_t same;          ///< percent of the windows that keep height and width
  std::uint32_t lines;         ///< tiles along a side are this many or more, where the map has them
};
constexpr Extent ordinary{7, 12, 300, 9, 9, 5, 35, 20, 50, 1};
constexpr Extent wide{4, 90, 1500, 24, 24, 2, 75, 2, 80, 6};
constexpr Extent deep{70, 2, 400, 3, 3, 3, 35, 20, 50, 1};

/// A feature map that a layer can read: a layer's output or the network's input.
struct Map {
  core::LayerIndex producer = core::network_input;
  std::uint32_t channels = 1, height = 1, width = 1;
};

class Generator {
 public:
  explicit Generator(std::uint64_t seed) : random_(seed) {}

  PlanTables generate() {
    const std::uint32_t kind = random_.between(1, 100);
    most_ = kind <= 5 ? wide : kind <= 7 ? deep : ordinary;
    settings();
    const std::uint32_t layers = random_.between(1, most_.layers);
    maps_.push_back({core::network_input, random_.between(1, 6), random_.between(1, most_.height),
                     random_.between(1, most_.width)});
    for (std::uint32_t row = 0; row < layers && tasks_ < most_.tasks_of_a_frame; ++row)
      add_layer();
    plan_.link();
    return std::move(plan_);
  }

 private:
  void settings() {
    core::Plan& settings = plan_.settings;
    const std::uint32_t buffers = random_.between(4, 24);
    settings.pools = core::Pools::quarters(buffers);
    if (random_.chance(30)) {
      const std::uint32_t output = random_.between(1, buffers / 2);
      const std::uint32_t input = random_.between(1, std::min(output, buffers - output - 1));
      settings.pools = {static_cast<std::uint16_t>(input), static_cast<std::uint16_t>(buffers - input - output),
                        static_cast<std::uint16_t>(output)};
    }
    settings.pools.shared = random_.chance(15);
    settings.queue = random_.chance(20) ? core::Queue::strict : core::Queue::skip;
    settings.frames = random_.chance(30) ? 1 : random_.between(2, most_.frames);
    settings.window = random_.between(1, settings.frames);
    settings.buffer_bytes = 1U << 16;
  }

  /// Prefers the latest maps, so that chains are long, and sometimes takes an old one, so that branches are left open.
  const Map& any_map() {
    const std::uint32_t last = static_cast<std::uint32_t>(maps_.size() - 1);
    return maps_[random_.chance(65) ? last : random_.between(0, last)];
  }

  void add_layer() {
    if (random_.chance(20) && add_sum()) return;
    if (random_.chance(most_.dense)) {
      add_dense();
    } else if (random_.chance(45)) {
      add_channelwise();
    } else {
      add_convolution();
    }
  }

  /// Maps of one height and width, read one after the other along the channels.
  std::vector<Map> concatenation() {
    std::vector<Map> inputs{any_map()};
    if (!random_.chance(most_.concatenated)) return inputs;
    for (const Map& map : maps_) {
      const bool fits = map.height == inputs[0].height && map.width == inputs[0].width;
      if (fits && map.producer != inputs[0].producer && inputs.size() < 4 && random_.chance(60)) inputs.push_back(map);
    }
    if (random_.chance(50)) std::swap(inputs.front(), inputs.back());
    return inputs;
  }

  /// Parts that read `elements` channels of each map, every map cut into at most `most` parts.
  std::vector<core::Part> parts_of(const std::vector<Map>& inputs, bool flattened, std::uint32_t most) {
    std::vector<core::Part> parts;
    std::uint32_t first = 0;
    for (const Map& map : inputs) {
      const std::uint32_t all = flattened ? map.channels * map.height * map.width : map.channels;
      std::uint32_t pieces = random_.chance(50) ? 1 : random_.between(1, std::min(most, all));
      for (std::uint32_t at = 0; at < all;) {
        const std::uint32_t left = all - at;
        const std::uint32_t channels = pieces == 1 ? left : random_.between(1, left - (pieces - 1));
        parts.push_back({first, channels, at, map.producer});
        first += channels;
        at += channels;
        --pieces;
      }
    }
    return parts;
  }

  /// Kernel, stride and pads for one axis, such that every window touches the map, and the output's extent.
  struct Axis {
    std::uint32_t kernel = 1, stride = 1, pad = 0, extent = 1;
  };

  Axis axis(std::uint32_t input, bool same) {
    Axis axis;
    if (same) {
      axis.kernel = 2 * random_.between(0, 1) + 1;
      axis.pad = axis.kernel / 2;
      axis.extent = input;
      return axis;
    }
    axis.kernel = random_.between(1, random_.chance(20) ? 5 : 3);
    axis.stride = random_.between(1, 3);
    axis.pad = random_.between(0, axis.kernel - 1);
    const std::uint32_t pad_behind = random_.between(0, axis.kernel - 1);
    const std::uint32_t padded = input + axis.pad + pad_behind;
    if (padded < axis.kernel) {
      axis.kernel = input;
      axis.pad = 0;
      axis.extent = 1;
      return axis;
    }
    axis.extent = (padded - axis.kernel) / axis.stride + 1;
    return axis;
  }

  void set_window(core::Layer& layer, Map input) {
    layer.waits_for_all = random_.chance(8);
    if (layer.waits_for_all && random_.chance(50)) {
      input.height = random_.between(1, 6);
      input.width = random_.between(1, 6);
    }
    const bool same = random_.chance(most_.same);
    const Axis vertical = axis(input.height, same);
    const Axis horizontal = axis(input.width, same);
    layer.input_height = input.height;
    layer.input_width = input.width;
    layer.height = vertical.extent;
    layer.width = horizontal.extent;
    layer.kernel_height = static_cast<std::uint16_t>(vertical.kernel);
    layer.kernel_width = static_cast<std::uint16_t>(horizontal.kernel);
    layer.stride_height = static_cast<std::uint16_t>(vertical.stride);
    layer.stride_width = static_cast<std::uint16_t>(horizontal.stride);
    layer.pad_top = static_cast<std::uint16_t>(vertical.pad);
    layer.pad_left = static_cast<std::uint16_t>(horizontal.pad);
  }

  void set_tiles(core::Layer& layer) {
    const auto tiles = [](std::uint32_t extent, std::uint32_t tile) { return (extent + tile - 1) / tile; };
    layer.tile_channels = random_.chance(50) ? layer.channels : random_.between(1, layer.channels);
    layer.tile_height = random_.between(1, tiles(layer.height, most_.lines));
    layer.tile_width = random_.between(1, tiles(layer.width, most_.lines));
    while (tiles(layer.channels, layer.tile_channels) * tiles(layer.height, layer.tile_height) *
               tiles(layer.width, layer.tile_width) >
           most_.tiles_of_a_layer) {
      std::uint32_t& longest = layer.tile_height < layer.height ? layer.tile_height
                               : layer.tile_width < layer.width ? layer.tile_width
                                                                : layer.tile_channels;
      ++longest;
    }
  }

  void set_weights(core::Layer& layer) {
    layer.filter_bytes = random_.between(1, 40);
    layer.filter_work = random_.between(1, 30);
    layer.chunk_filters = random_.between(1, layer.tile_channels);
    if (random_.chance(30)) {
      layer.pieces = random_.between(1, std::min(3U, layer.filter_bytes));
      if (layer.pieces > 1) layer.piece_bytes = random_.between(1, (layer.filter_bytes - 1) / (layer.pieces - 1));
    }
  }

  void finish(core::Layer layer, const std::vector<core::Part>& parts) {
    const std::uint32_t most =
        std::min<std::uint32_t>(static_cast<std::uint32_t>(parts.size()), plan_.settings.pools.input);
    layer.input_buffers = static_cast<std::uint16_t>(random_.between(1, most));
    layer.element_bytes = random_.chance(50) ? 1 : 4;
    layer.work_class = static_cast<core::WorkClass>(random_.between(0, core::work_classes - 1));
    if (layer.filter_bytes == 0) layer.chunk_filters = layer.tile_channels;
    if (layer.filter_work == 0) layer.filter_work = random_.between(1, 30);
    const core::LayerIndex row = plan_.add(layer, parts);
    const core::Layer& added = plan_.layers[row];
    tasks_ += added.tiles() * (added.parts + 2 * added.chunks + 1);
    maps_.push_back({row, layer.channels, layer.height, layer.width});
  }

  void add_convolution() {
    const std::vector<Map> inputs = concatenation();
    core::Layer layer;
    set_window(layer, inputs[0]);
    layer.channels = random_.between(1, 6);
    set_tiles(layer);
    if (random_.chance(85)) set_weights(layer);
    finish(layer, parts_of(inputs, false, 3));
  }

  void add_channelwise() {
    const std::vector<Map> inputs = concatenation();
    core::Layer layer;
    set_window(layer, inputs[0]);
    layer.channelwise = true;
    for (const Map& map : inputs)
      layer.channels += map.channels;
    set_tiles(layer);
    if (random_.chance(30)) layer.channel_halo = static_cast<std::uint16_t>(random_.between(1, 3));
    if (random_.chance(50)) set_weights(layer);
    finish(layer, parts_of(inputs, false, random_.chance(50) ? 3 : 1));
  }

  /// Element-wise sum of two or three operands of one shape; false where no two maps have one.
  bool add_sum() {
    const Map first = any_map();
    std::vector<Map> operands;
    for (const Map& map : maps_) {
      if (map.channels == first.channels && map.height == first.height && map.width == first.width) {
        operands.push_back(map);
      }
    }
    if (operands.size() < 2) return false;
    while (operands.size() > random_.between(2, 3)) {
      operands.erase(operands.begin() + random_.between(0, static_cast<std::uint32_t>(operands.size() - 1)));
    }
    core::Layer layer;
    layer.channelwise = true;
    layer.channels = first.channels;
    layer.height = layer.input_height = first.height;
    layer.width = layer.input_width = first.width;
    set_tiles(layer);
    std::vector<core::Part> parts;
    for (const Map& map : operands)
      parts.push_back({0, map.channels, 0, map.producer});
    finish(layer, parts);
    return true;
  }

  void add_dense() {
    std::vector<Map> inputs{any_map()};
    if (random_.chance(20)) {
      const Map second = any_map();
      if (second.producer != inputs[0].producer) inputs.push_back(second);
    }
    core::Layer layer;
    layer.flattened = true;
    layer.channels = random_.between(1, 10);
    layer.height = layer.width = layer.input_height = layer.input_width = 1;
    layer.tile_height = layer.tile_width = 1;
    layer.tile_channels = random_.chance(60) ? layer.channels : random_.between(1, layer.channels);
    set_weights(layer);
    finish(layer, parts_of(inputs, true, 4));
  }

  Random random_;
  Extent most_ = ordinary;
  PlanTables plan_;
  std::vector<Map> maps_;
  std::uint32_t tasks_ = 0;
};

}  // namespace

PlanTables random_plan(std::uint64_t seed) {
  return Generator(seed).generate();
}

}  // namespace spillway::oracle
