#include <algorithm>
#include <cmath>
#include <functional>

#include "scattered_map.hpp"
#include <gtest/gtest.h>

#include "hw/kernels/int8/run.hpp"

/// Every kernel against its definition in 64-bit integers, for random shapes, tiles, chunks and memory.
namespace spillway::int8 {
namespace {

using test::cut;
using test::Map;
using test::pick;
using test::Random;
using test::ScatteredMap;
using test::steps;

constexpr int cases = 2000;

std::uint32_t number(Random& random, int least, int most) {
  return static_cast<std::uint32_t>(pick(random, least, most));
}

std::uint16_t small(Random& random, int least, int most) {
  return static_cast<std::uint16_t>(pick(random, least, most));
}

/// The formula in other words: the product's magnitude, half added, divided; the sign given back.
std::int8_t by_definition(std::int64_t sum, Rescale by, Clamp to) {
  const std::int64_t product = sum * by.multiplier;  // the tests' sums have 32 bits
  const std::int64_t divisor = std::int64_t{1} << by.shift;
  const std::int64_t rounded = ((product < 0 ? -product : product) + divisor / 2) / divisor;
  return static_cast<std::int8_t>(std::clamp<std::int64_t>(product < 0 ? -rounded : rounded, to.low, to.high));
}

Rescale random_rescale(Random& random, int least_shift, int most_shift) {
  const bool power_of_two = pick(random, 0, 3) == 0;  // where halves occur
  return {power_of_two ? 1 << 30 : pick(random, 1 << 30, std::numeric_limits<std::int32_t>::max()),
          static_cast<std::uint8_t>(pick(random, least_shift, most_shift))};
}

Clamp random_clamp(Random& random) {
  return {static_cast<std::int8_t>(pick(random, 0, 1) == 0 ? 0 : -127),
          static_cast<std::int8_t>(pick(random, 0, 2) == 0 ? pick(random, 1, 100) : 127)};
}

std::vector<OutputChannel> random_channels(Random& random, std::uint32_t count) {
  std::vector<OutputChannel> channels(count);
  for (OutputChannel& channel : channels)
    channel = {pick(random, -20000, 20000), random_rescale(random, 34, 44)};
  return channels;
}

/// A window and a map that it fits.
struct Geometry {
  Window window;
  std::uint32_t height = 1, width = 1, output_height = 1, output_width = 1;
  std::uint16_t pad_bottom = 0, pad_right = 0;
};

Geometry random_geometry(Random& random, bool may_dilate) {
  Geometry result;
  Window& window = result.window;
  window.kernel_height = small(random, 1, 4);
  window.kernel_width = small(random, 1, 4);
  window.stride_height = small(random, 1, 3);
  window.stride_width = small(random, 1, 3);
  window.dilation_height = may_dilate ? small(random, 1, 2) : 1;
  window.dilation_width = may_dilate ? small(random, 1, 2) : 1;
  window.pad_top = small(random, 0, window.kernel_height - 1);
  window.pad_left = small(random, 0, window.kernel_width - 1);
  result.pad_bottom = small(random, 0, window.kernel_height - 1);
  result.pad_right = small(random, 0, window.kernel_width - 1);
  const std::uint32_t span_height = (window.kernel_height - 1U) * window.dilation_height + 1;
  const std::uint32_t span_width = (window.kernel_width - 1U) * window.dilation_width + 1;
  result.height = span_height + number(random, 0, 9);
  result.width = span_width + number(random, 0, 9);
  result.output_height = (result.height + window.pad_top + result.pad_bottom - span_height) / window.stride_height + 1;
  result.output_width = (result.width + window.pad_left + result.pad_right - span_width) / window.stride_width + 1;
  return result;
}

/// Inputs of a range of outputs along one axis, clipped to the map.
core::Range read_by(core::Range outputs, std::uint32_t stride, std::uint32_t pad, std::uint32_t kernel,
                    std::uint32_t dilation, std::uint32_t extent) {
  const int first = static_cast<int>(outputs.first * stride) - static_cast<int>(pad);
  const int last = static_cast<int>((outputs.last - 1) * stride + (kernel - 1) * dilation + 1) - static_cast<int>(pad);
  return {static_cast<std::uint32_t>(std::clamp(first, 0, static_cast<int>(extent))),
          static_cast<std::uint32_t>(std::clamp(last, 0, static_cast<int>(extent)))};
}

core::Region box_read(const Geometry& geometry, const core::Region& outputs, core::Range channels) {
  const Window& window = geometry.window;
  return {channels,
          read_by(outputs.rows, window.stride_height, window.pad_top, window.kernel_height, window.dilation_height,
                  geometry.height),
          read_by(outputs.columns, window.stride_width, window.pad_left, window.kernel_width, window.dilation_width,
                  geometry.width)};
}

/// Calls visit for the boxes of a random tiling.
void for_each_tile(Random& random, std::uint32_t height, std::uint32_t width, std::uint32_t channels,
                   const std::function<void(const core::Region&)>& visit) {
  const auto rows = steps(height, number(random, 1, static_cast<int>(height)));
  const auto columns = steps(width, number(random, 1, static_cast<int>(width)));
  const auto groups = steps(channels, number(random, 1, static_cast<int>(channels)));
  for (const core::Range group : groups)
    for (const core::Range row : rows)
      for (const core::Range column : columns)
        visit({group, row, column});
}

/// An output tile with its own memory.
struct Tile {
  std::vector<std::int8_t> values;
  std::vector<std::int32_t> sums;
  Output output;

  Tile(const core::Region& box, std::uint32_t filters)
      : values(box.elements(), 99), sums(filters * box.rows.size() * box.columns.size(), 12345) {
    output = {box, values.data(), sums.data()};
  }
};

/// Compares a tile with the definition's value of each of its elements.
void expect_tile(const Tile& tile,
                 const std::function<std::int8_t(std::uint32_t, std::uint32_t, std::uint32_t)>& definition) {
  const core::Region& box = tile.output.box;
  std::size_t at = 0;
  for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y)
    for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x)
      for (std::uint32_t c = box.channels.first; c < box.channels.last; ++c)
        ASSERT_EQ(tile.values[at++], definition(y, x, c)) << "row " << y << ", column " << x << ", channel " << c;
}

/// Calls take(input value, kernel row, kernel column) for a window's elements in the map.
void for_each_element(const Geometry& geometry, const Map& map, std::uint32_t y, std::uint32_t x, std::uint32_t c,
                      const std::function<void(std::int8_t, std::uint32_t, std::uint32_t)>& take) {
  const Window& window = geometry.window;
  for (std::uint32_t i = 0; i < window.kernel_height; ++i)
    for (std::uint32_t j = 0; j < window.kernel_width; ++j) {
      const int row = static_cast<int>(y * window.stride_height + i * window.dilation_height) - window.pad_top;
      const int column = static_cast<int>(x * window.stride_width + j * window.dilation_width) - window.pad_left;
      if (row < 0 || column < 0 || row >= static_cast<int>(map.height) || column >= static_cast<int>(map.width))
        continue;
      take(map.at(static_cast<std::uint32_t>(row), static_cast<std::uint32_t>(column), c), i, j);
    }
}

TEST(Int8Kernels, RequantizationRoundsHalvesAwayFromZero) {
  const Rescale half{1 << 30, 31};
  const Clamp all;
  EXPECT_EQ(requantized(1, half, all), 1);
  EXPECT_EQ(requantized(-1, half, all), -1);
  EXPECT_EQ(requantized(3, half, all), 2);
  EXPECT_EQ(requantized(-3, half, all), -2);
  EXPECT_EQ(requantized(-2, half, all), -1);
  EXPECT_EQ(requantized(1000, half, all), 127);
  EXPECT_EQ(requantized(-1000, half, all), -127);
  EXPECT_EQ(requantized(-1000, half, {0, 127}), 0);
  Random random(1);
  const auto most = std::numeric_limits<std::int32_t>::max();
  for (int i = 0; i < 100000; ++i) {
    const Rescale by = random_rescale(random, 1, 62);
    const int size = pick(random, 1, 31);
    const int sum = pick(random, -most - 1, most) >> size;
    ASSERT_EQ(requantized(sum, by, all), by_definition(sum, by, all))
        << sum << " " << by.multiplier << " " << +by.shift;
  }
}

TEST(Int8Kernels, ConvolutionOfAnyShapeAndCutIsItsDefinition) {
  Random random(2);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const Geometry geometry = random_geometry(random, true);
    const std::uint32_t groups = pick(random, 0, 1) == 0 ? 1 : number(random, 1, 4);
    const std::uint32_t filter_channels = number(random, 1, 11), group_filters = number(random, 1, 7);
    const std::uint32_t inputs = groups * filter_channels, outputs = groups * group_filters;
    const Map map(random, geometry.height, geometry.width, inputs);
    const std::uint32_t taps = geometry.window.kernel_height * geometry.window.kernel_width;
    // [filter][channel][tap]
    const Map weights(random, outputs, filter_channels, taps);
    const std::vector<OutputChannel> channels = random_channels(random, outputs);
    const std::vector<core::Range> parts = cut(random, inputs);
    const Convolution layer{geometry.window, filter_channels, group_filters,
                            parts,           channels.data(), random_clamp(random)};
    // One filter at a time where filters are cut, as plans do; any block otherwise.
    const auto pieces =
        steps(filter_channels,
              pick(random, 0, 1) == 0 ? filter_channels : number(random, 1, static_cast<int>(filter_channels)));
    const std::uint32_t block = pieces.size() > 1 ? number(random, 1, 2) : number(random, 1, static_cast<int>(outputs));
    std::vector<std::int16_t> scratch(pick(random, 0, 1) == 0
                                          ? least_scratch + static_cast<std::size_t>(pick(random, 0, 40))
                                          : std::max(least_scratch, wanted_scratch(taps * filter_channels)));

    for_each_tile(random, geometry.output_height, geometry.output_width, outputs, [&](const core::Region& box) {
      const ScatteredMap scattered(random, map, box_read(geometry, box, {0, inputs}), parts);
      Tile tile(box, block);
      for (const core::Range filters : steps(box.channels.size(), block))
        for (const core::Range piece : pieces) {
          Chunk chunk{{box.channels.first + filters.first, box.channels.first + filters.last}, piece, nullptr};
          std::vector<std::int8_t> bytes;
          for (std::uint32_t filter = chunk.filters.first; filter < chunk.filters.last; ++filter) {
            const std::uint32_t first = filter / group_filters * filter_channels;
            for (const core::Range part : parts) {
              const core::Range within = core::common(part, {first + piece.first, first + piece.last});
              for (std::uint32_t tap = 0; tap < taps; ++tap)
                for (std::uint32_t c = within.first; c < within.last; ++c)
                  bytes.push_back(weights.at(filter, c - first, tap));
            }
          }
          chunk.weights = bytes.data();
          convolve(layer, scattered.input(), chunk, tile.output, scratch);
        }
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t k) {
        std::int64_t sum = channels[k].bias;
        for (std::uint32_t c = 0; c < filter_channels; ++c)
          for_each_element(geometry, map, y, x, k / group_filters * filter_channels + c,
                           [&](std::int8_t value, std::uint32_t i, std::uint32_t j) {
                             sum += value * weights.at(k, c, i * geometry.window.kernel_width + j);
                           });
        return by_definition(sum, channels[k].rescale, layer.clamp);
      });
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, DepthwiseConvolutionOfAnyShapeAndCutIsItsDefinition) {
  Random random(3);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const Geometry geometry = random_geometry(random, true);
    const std::uint32_t count = number(random, 1, 13);
    const Map map(random, geometry.height, geometry.width, count);
    const std::uint32_t taps = geometry.window.kernel_height * geometry.window.kernel_width;
    const Map weights(random, 1, count, taps);
    const std::vector<OutputChannel> channels = random_channels(random, count);
    const std::vector<core::Range> parts = cut(random, count);
    const Depthwise layer{geometry.window, channels.data(), random_clamp(random)};
    const std::uint32_t block = number(random, 1, static_cast<int>(count));
    std::vector<std::int16_t> scratch(pick(random, 0, 1) == 0
                                          ? least_scratch_of(layer) + static_cast<std::size_t>(pick(random, 0, 40))
                                          : wanted_scratch(layer, geometry.output_width));

    for_each_tile(random, geometry.output_height, geometry.output_width, count, [&](const core::Region& box) {
      const ScatteredMap scattered(random, map, box_read(geometry, box, box.channels), parts);
      Tile tile(box, 0);
      for (const core::Range filters : steps(box.channels.size(), block)) {
        const core::Range range{box.channels.first + filters.first, box.channels.first + filters.last};
        const std::vector<std::int8_t> bytes(weights.values.begin() + range.first * taps,
                                             weights.values.begin() + range.last * taps);
        convolve_depthwise(layer, scattered.input(), {range, {0, 1}, bytes.data()}, tile.output, scratch);
      }
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t c) {
        std::int64_t sum = channels[c].bias;
        for_each_element(geometry, map, y, x, c, [&](std::int8_t value, std::uint32_t i, std::uint32_t j) {
          sum += value * weights.at(0, c, i * geometry.window.kernel_width + j);
        });
        return by_definition(sum, channels[c].rescale, layer.clamp);
      });
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, DenseLayerOfAnyCutIsItsDefinition) {
  Random random(4);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const std::uint32_t inputs = number(random, 1, 200), outputs = number(random, 1, 20);
    const Map vector(random, 1, 1, inputs);
    const Map weights(random, 1, outputs, inputs);
    const std::vector<OutputChannel> channels = random_channels(random, outputs);
    const std::vector<core::Range> parts = cut(random, inputs);
    const Dense layer{inputs, channels.data(), random_clamp(random)};
    const ScatteredMap scattered(random, vector, {{0, inputs}, {0, 1}, {0, 1}}, parts);
    const auto pieces = cut(random, inputs);
    const std::uint32_t block = number(random, 1, static_cast<int>(outputs));
    for (const core::Range group : steps(outputs, number(random, 1, static_cast<int>(outputs)))) {
      Tile tile({group, {0, 1}, {0, 1}}, block);
      for (const core::Range filters : steps(group.size(), block))
        for (const core::Range piece : pieces) {
          const core::Range range{group.first + filters.first, group.first + filters.last};
          std::vector<std::int8_t> bytes;
          for (std::uint32_t filter = range.first; filter < range.last; ++filter)
            for (std::uint32_t i = piece.first; i < piece.last; ++i)
              bytes.push_back(weights.at(0, filter, i));
          multiply(layer, scattered.input(), {range, piece, bytes.data()}, tile.output);
        }
      expect_tile(tile, [&](std::uint32_t, std::uint32_t, std::uint32_t k) {
        std::int64_t sum = channels[k].bias;
        for (std::uint32_t i = 0; i < inputs; ++i)
          sum += vector.at(0, 0, i) * weights.at(0, k, i);
        return by_definition(sum, channels[k].rescale, layer.clamp);
      });
    }
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, MaxPoolingIsItsDefinition) {
  Random random(5);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const Geometry geometry = random_geometry(random, true);
    const std::uint32_t count = number(random, 1, 40);
    const Map map(random, geometry.height, geometry.width, count);
    const MaxPool layer{geometry.window, random_clamp(random)};
    const std::vector<core::Range> parts = cut(random, count);
    for_each_tile(random, geometry.output_height, geometry.output_width, count, [&](const core::Region& box) {
      const ScatteredMap scattered(random, map, box_read(geometry, box, box.channels), parts);
      Tile tile(box, 0);
      pool(layer, scattered.input(), tile.output);
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t c) {
        int most = -127;
        for_each_element(geometry, map, y, x, c,
                         [&](std::int8_t value, std::uint32_t, std::uint32_t) { most = std::max<int>(most, value); });
        return static_cast<std::int8_t>(std::clamp<int>(most, layer.clamp.low, layer.clamp.high));
      });
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, AveragePoolingIsItsDefinition) {
  Random random(6);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const Geometry geometry = random_geometry(random, false);
    const Window& window = geometry.window;
    const std::uint32_t count = number(random, 1, 40);
    const Map map(random, geometry.height, geometry.width, count);
    const std::uint32_t taps = window.kernel_height * window.kernel_width;
    std::vector<Rescale> by_count(taps);
    for (Rescale& rescale : by_count)
      rescale = random_rescale(random, 30, 34);
    AveragePool layer{window,   pick(random, 0, 1) == 0, geometry.pad_bottom, geometry.pad_right,
                      by_count, random_clamp(random)};
    if (pick(random, 0, 3) == 0) layer.by_count = layer.by_count.first(1);
    const std::vector<core::Range> parts = cut(random, count);
    for_each_tile(random, geometry.output_height, geometry.output_width, count, [&](const core::Region& box) {
      const ScatteredMap scattered(random, map, box_read(geometry, box, box.channels), parts);
      Tile tile(box, 0);
      pool(layer, scattered.input(), tile.output);
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t c) {
        std::int64_t sum = 0;
        std::size_t elements = 0;
        for_each_element(geometry, map, y, x, c, [&](std::int8_t value, std::uint32_t, std::uint32_t) {
          sum += value;
          ++elements;
        });
        // Without ceil_mode no window reaches beyond the padding.
        if (layer.count_padding) elements = taps;
        return by_definition(sum, layer.by_count.size() == 1 ? by_count[0] : by_count[elements - 1], layer.clamp);
      });
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, AdditionIsItsDefinition) {
  Random random(7);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const std::uint32_t height = number(random, 1, 8), width = number(random, 1, 8), count = number(random, 1, 70);
    std::vector<Map> maps;
    std::vector<Rescale> rescales;
    std::vector<std::vector<core::Range>> parts;
    for (int operand = pick(random, 1, most_operands); operand > 0; --operand) {
      maps.emplace_back(random, height, width, count);
      rescales.push_back(random_rescale(random, 31, 34));
      parts.push_back(cut(random, count));
    }
    const Addition layer{rescales, random_rescale(random, 48, 54), random_clamp(random)};
    for_each_tile(random, height, width, count, [&](const core::Region& box) {
      std::vector<ScatteredMap> scattered;
      for (std::size_t i = 0; i < maps.size(); ++i)
        scattered.emplace_back(random, maps[i], box, parts[i]);
      std::vector<Input> operands;
      for (const ScatteredMap& map : scattered)
        operands.push_back(map.input());
      Tile tile(box, 0);
      add(layer, operands, tile.output);
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t c) {
        std::int64_t sum = 0;
        for (std::size_t i = 0; i < maps.size(); ++i) {
          const double exact = std::ldexp(static_cast<double>(maps[i].at(y, x, c)) * rescales[i].multiplier,
                                          addition_shift - rescales[i].shift);
          sum += static_cast<std::int64_t>(std::round(exact));  // halves away from zero; 53 bits hold the product
        }
        return by_definition(sum, layer.result, layer.clamp);
      });
    });
    if (HasFatalFailure()) return;
  }
}

TEST(Int8Kernels, CopyGathersABox) {
  Random random(8);
  for (int repeat = 0; repeat < cases; ++repeat) {
    SCOPED_TRACE(repeat);
    const Map map(random, number(random, 1, 8), number(random, 1, 8), number(random, 1, 20));
    const std::vector<core::Range> parts = cut(random, map.channels);
    for_each_tile(random, map.height, map.width, map.channels, [&](const core::Region& box) {
      const ScatteredMap scattered(random, map, box, parts);
      Tile tile(box, 0);
      copy(scattered.input(), tile.output);
      expect_tile(tile, [&](std::uint32_t y, std::uint32_t x, std::uint32_t c) { return map.at(y, x, c); });
    });
    if (HasFatalFailure()) return;
  }
}

}  // namespace
}  // namespace spillway::int8
