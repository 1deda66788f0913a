// Shapes, MACs and weights against counting one by one, on random layers and networks.
#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <string>

#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/shapes.hpp"

namespace spillway::models {
namespace {

class Generator {
 public:
  explicit Generator(unsigned seed) : engine_(seed) {}

  /// Uniform enough and the same on every platform, which std::uniform_int_distribution is not.
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint64_t>(most - least + 1));
  }
  bool coin() { return between(0, 1) == 1; }

  Window window() {
    Window window;
    window.kernel_height = between(1, 4);
    window.kernel_width = between(1, 4);
    window.stride_height = between(1, 4);
    window.stride_width = between(1, 4);
    window.pad_top = between(0, 3);
    window.pad_left = between(0, 3);
    window.pad_bottom = between(0, 3);
    window.pad_right = between(0, 3);
    window.dilation_height = between(1, 3);
    window.dilation_width = between(1, 3);
    return window;
  }

 private:
  std::mt19937 engine_;
};

/// Slides a window element by element; nothing is computed in closed form. Empty when it never fits.
std::optional<std::int64_t> slide(std::int64_t extent, std::int64_t kernel, std::int64_t dilation, std::int64_t stride,
                                  std::int64_t before, std::int64_t behind, bool ceil_mode) {
  std::int64_t padded_end = 0;
  for (const std::int64_t part : {before, extent, behind})
    padded_end += part;
  std::int64_t count = 0;
  std::int64_t covered_end = 0;
  for (std::int64_t start = 0;; start += stride) {
    std::int64_t end = start;
    for (std::int64_t tap = 0; tap < kernel; ++tap)
      end = start + tap * dilation + 1;
    if (end <= padded_end) {
      ++count;
      covered_end = end;
      continue;
    }
    if (count == 0) return std::nullopt;
    const bool rest_is_uncovered = covered_end < padded_end;
    const bool starts_on_map = start < before + extent;
    return count + (ceil_mode && rest_is_uncovered && starts_on_map ? 1 : 0);
  }
}

std::optional<Shape> slide(const Shape& map, const Window& window, std::int64_t channels) {
  const auto height = slide(map.height, window.kernel_height, window.dilation_height, window.stride_height,
                            window.pad_top, window.pad_bottom, window.ceil_mode);
  const auto width = slide(map.width, window.kernel_width, window.dilation_width, window.stride_width, window.pad_left,
                           window.pad_right, window.ceil_mode);
  if (!height || !width) return std::nullopt;
  return Shape{channels, *height, *width};
}

TEST(CountingProperty, ConvolutionsAgainstTheLoopNest) {
  Generator generator(1);
  int accepted = 0;
  int refused = 0;
  for (int trial = 0; trial < 3000; ++trial) {
    const std::int64_t groups = generator.between(1, 3);
    const Shape map = {groups * generator.between(1, 3), generator.between(1, 9), generator.between(1, 9)};
    const std::int64_t filters = groups * generator.between(1, 3);
    const Window window = generator.window();
    const auto expected = slide(map, window, filters);
    Network network("random");
    const NodeId from = input(network, map);
    if (!expected) {
      EXPECT_THROW(convolution(network, "layer", from, filters, window, {.groups = groups}), NetworkError);
      ++refused;
      continue;
    }
    ++accepted;
    const NodeId layer = convolution(network, "layer", from, filters, window, {.groups = groups});
    ASSERT_EQ(network.node(layer).output, *expected);

    std::int64_t macs = 0;
    std::map<std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t>, int> weights;
    for (std::int64_t filter = 0; filter < filters; ++filter)
      for (std::int64_t row = 0; row < expected->height; ++row)
        for (std::int64_t column = 0; column < expected->width; ++column)
          for (std::int64_t channel = 0; channel < map.channels; ++channel) {
            const bool same_group = channel / (map.channels / groups) == filter / (filters / groups);
            if (!same_group) continue;
            for (std::int64_t y = 0; y < window.kernel_height; ++y)
              for (std::int64_t x = 0; x < window.kernel_width; ++x, ++macs)
                ++weights[{filter, channel, y, x}];
          }
    ASSERT_EQ(network.macs(layer), macs);
    ASSERT_EQ(network.weights(layer), static_cast<std::int64_t>(weights.size()));
    ASSERT_EQ(network.is_depthwise(layer), groups > 1 && map.channels == groups);
  }
  EXPECT_GT(accepted, 1000);
  EXPECT_GT(refused, 50);
}

TEST(CountingProperty, PoolingsAgainstSliding) {
  Generator generator(2);
  int rounded_up = 0;
  for (int trial = 0; trial < 20000; ++trial) {
    const Shape map = {generator.between(1, 4), generator.between(1, 20), generator.between(1, 20)};
    Window window = generator.window();
    window.pad_top = std::min(window.pad_top, window.span_height() - 1);
    window.pad_bottom = std::min(window.pad_bottom, window.span_height() - 1);
    window.pad_left = std::min(window.pad_left, window.span_width() - 1);
    window.pad_right = std::min(window.pad_right, window.span_width() - 1);
    window.ceil_mode = generator.coin();
    const auto expected = slide(map, window, map.channels);
    Network network("random");
    const NodeId from = input(network, map);
    if (!expected) {
      EXPECT_THROW(average_pool(network, "pool", from, window), NetworkError);
      continue;
    }
    ASSERT_EQ(network.node(average_pool(network, "pool", from, window)).output, *expected) << "trial " << trial;
    Window floor_window = window;
    floor_window.ceil_mode = false;
    if (slide(map, floor_window, map.channels) != expected) ++rounded_up;
  }
  EXPECT_GT(rounded_up, 1000);
}

/// Every window of a pooling, the last one rounded up included, must see at least one element of the map.
TEST(CountingProperty, NoPoolingWindowSeesPaddingOnly) {
  Generator generator(3);
  for (int trial = 0; trial < 20000; ++trial) {
    const std::int64_t span = generator.between(1, 6);
    const std::int64_t before = generator.between(0, span - 1);
    const std::int64_t behind = generator.between(0, span - 1);
    const std::int64_t extent = generator.between(1, 20);
    const std::int64_t stride = generator.between(1, 6);
    if (span > before + extent + behind) continue;
    const std::int64_t positions = window_positions(extent, span, stride, before, behind, true);
    ASSERT_LT((positions - 1) * stride, before + extent);
  }
}

/// Adds a random node that must be accepted, and gives its expected shape from the operands alone.
Shape grow(Network& network, Generator& generator, const std::string& name) {
  const auto pick = [&] { return static_cast<NodeId>(generator.between(0, std::ssize(network.nodes()) - 1)); };
  const NodeId from = pick();
  const Shape map = network.node(from).output;
  switch (generator.between(0, 4)) {
    case 0: {
      const std::int64_t filters = generator.between(1, 8);
      convolution(network, name, from, filters, square(3, 1, 1));
      return {filters, map.height, map.width};
    }
    case 1:
      append(network, Operator::relu, name, {from});
      return map;
    case 2:
      append(network, Operator::add, name, {from, from});
      return map;
    case 3: {
      NodeId other = pick();
      const Shape shape = network.node(other).output;
      if (shape.height != map.height || shape.width != map.width) other = from;
      append(network, Operator::concat, name, {from, other});
      return {map.channels + network.node(other).output.channels, map.height, map.width};
    }
    default: {
      Window window = square(2, 2);
      window.ceil_mode = true;
      if (map.height < 2 || map.width < 2) window = square(1);
      max_pool(network, name, from, window);
      return window.kernel_height == 1 ? map : Shape{map.channels, (map.height + 1) / 2, (map.width + 1) / 2};
    }
  }
}

TEST(CountingProperty, RandomNetworksAreConsistent) {
  Generator generator(4);
  for (int trial = 0; trial < 300; ++trial) {
    Network network("random");
    input(network, {generator.between(1, 4), generator.between(1, 20), generator.between(1, 20)});
    const int nodes = static_cast<int>(generator.between(1, 25));
    for (int node = 0; node < nodes; ++node) {
      const Shape expected = grow(network, generator, "node" + std::to_string(node));
      ASSERT_EQ(network.nodes().back().output, expected) << to_string(network.nodes().back().op);
    }
    std::int64_t macs = 0;
    for (NodeId id = 0; id < network.nodes().size(); ++id) {
      macs += network.macs(id);
      for (const NodeId producer : network.node(id).inputs) {
        ASSERT_LT(producer, id);
        const auto readers = network.consumers(producer);
        ASSERT_EQ(std::ranges::count(readers, id), 1);
      }
    }
    ASSERT_EQ(network.total_macs(), macs);

    // A network taken apart and put together again is the same one.
    Network copy("copy");
    for (const Node& node : network.nodes())
      copy.add(node);
    ASSERT_EQ(copy.total_macs(), network.total_macs());
    ASSERT_EQ(copy.nodes().back().output, network.nodes().back().output);
  }
}

}  // namespace
}  // namespace spillway::models
