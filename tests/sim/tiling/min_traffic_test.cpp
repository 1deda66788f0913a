#include <optional>

#include "min_traffic_brute_force.hpp"
#include "min_traffic_comparison.hpp"
#include "min_traffic_replay.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/swap_plan.hpp"

/// Rule min-traffic against everything that it could have chosen.
namespace spillway::least_traffic {
namespace {

using models::Network;
using models::NodeId;
using models::Operator;
using tiling::Request;
using tiling::Rule;

constexpr std::uint64_t kib = 1024;
constexpr MapShape small_map{4, 8, 8};

NodeId pointwise(Network& network, const char* name, NodeId from) {
  return models::convolution(network, name, from, 4, models::square(1));
}

/// 16 buffers: 4 for inputs, 8 for weights, 4 for outputs.
std::optional<Cost> least_in_16_buffers(const Network& network) {
  return least_cost(tiling::lower(network), small_map, {32 * kib, 2 * kib, 1});
}

/// A map of 4 x 8 x 8 is 8 rows of a sector: 4096 bytes. It is written as two tiles; their weights are read once.
TEST(BruteForce, OneConvolution) {
  Network network("net");
  pointwise(network, "a", models::input(network, {4, 8, 8}));
  EXPECT_EQ(least_in_16_buffers(network), (Cost{4096 + 512 + 4096, 2 + 1 + 2}));
}

/// The first output stays, as one tile that reads the input at once; each tile of the second one reads its weights.
TEST(BruteForce, KeptOutput) {
  Network network("net");
  pointwise(network, "b", pointwise(network, "a", models::input(network, {4, 8, 8})));
  EXPECT_EQ(least_in_16_buffers(network), (Cost{4096 + 512 + 2 * 512 + 4096, 1 + 1 + 2 + 2}));
}

/// An output with two readers goes to the card and comes back twice; that of the second convolution stays.
TEST(BruteForce, ResidualBlock) {
  Network network("net");
  const NodeId a = pointwise(network, "a", models::input(network, {4, 8, 8}));
  const NodeId b = pointwise(network, "b", a);
  models::append(network, Operator::add, "sum", {a, b});
  EXPECT_EQ(least_in_16_buffers(network), (Cost{(4096 + 512 + 4096) + (4096 + 512) + (4096 + 4096),  //
                                                (2 + 1 + 2) + (1 + 1) + (2 + 2)}));
}

TEST(BruteForce, NothingFits) {
  Network network("net");
  pointwise(network, "a", models::input(network, {4, 8, 8}));
  EXPECT_EQ(least_cost(tiling::lower(network), small_map, {1536, 512, 1}), std::nullopt);
  // 600 channels of one pixel are 1024 bytes on the card: two buffers, of which there is one.
  Network wide("wide");
  models::convolution(wide, "a", models::input(wide, {600, 1, 1}), 4, models::square(1));
  EXPECT_EQ(least_cost(tiling::lower(wide), {600, 1, 1}, {4 * 512, 512, 1}), std::nullopt);
}

/// The replay finds what is wrong with a plan that the core runs.
TEST(Replay, FindsTilesThatShareASectorAndInputsThatExceedTheirBuffers) {
  // A row of the input is a sector, one of the output half a sector.
  constexpr MapShape map{64, 8, 8};
  Network network("net");
  models::convolution(network, "a", models::input(network, {64, 8, 8}), 32, models::square(1));
  Request request;
  request.rule = Rule::min_traffic;
  request.sram_bytes = 64 * kib;
  request.buffer_bytes = 4 * kib;
  tiling::SwapPlan plan = tiling::make_plan(network, request);
  core::Layer& layer = plan.layers[0];
  layer.groups = layer.rows = 1;
  layer.columns = 1;
  layer.tile_channels = layer.chunk_filters = layer.plane_channels = 32;
  layer.chunks = 1;
  layer.tile_height = layer.tile_width = 8;
  layer.input_buffers = 1;
  layer.weight_pins = 0;
  plan.layout = core::CardLayout::planes;
  plan.input_plane_channels = 64;
  tiling::Random random(1);
  ASSERT_EQ(replay(plan.view(), map, random).fault, "");

  layer.columns = 2;
  layer.tile_width = 4;
  EXPECT_THAT(replay(plan.view(), map, random).fault, ::testing::HasSubstr("two tiles share a sector"));

  layer.columns = 1;
  layer.tile_width = 8;
  plan.input_plane_channels = 32;
  EXPECT_THAT(replay(plan.view(), map, random).fault, ::testing::HasSubstr("the parts exceed the input buffers"));
}

TEST(MinTraffic, MovesTheLeastOnSmallNetworks) {
  const Reached reached = expect_least_on_random_networks(1, 200);
  EXPECT_GT(reached.planes, 50);
  EXPECT_GT(reached.weights_outside, 5);
  EXPECT_GT(reached.kept_outputs, 30);
  EXPECT_GT(reached.channel_groups, 5);
  EXPECT_GT(reached.several_buffers, 20);
}

/// Tiles of 3 and 1 rows read 3 rows each, tiles of 2 and 2 rows read 2 and 4: the input pool holds 3, the output pool
/// two kept tiles.
TEST(MinTraffic, HigherTilesMayReadFewerRows) {
  models::Window window = models::square(3, 1, 1);
  window.pad_top = 2;
  window.pad_bottom = 0;
  Network network("net");
  const NodeId a = models::convolution(network, "a", models::input(network, {64, 4, 8}), 16, window);
  models::convolution(network, "b", a, 16, models::square(1));
  Request request;
  request.sram_bytes = 12 * 512;
  request.buffer_bytes = 512;
  tiling::Random random(1);
  Reached reached;
  expect_least(network, request, random, reached);
  EXPECT_EQ(reached.kept_outputs, 1);
}

/// Each weight, input and output of VGG-16 once: 168.7 MB, of which convolutions and pooling 45.0 MB.
TEST(MinTraffic, VggIsNearTheLeastPossible) {
  Request request;
  request.rule = Rule::min_traffic;
  request.sram_bytes = 512 * kib;
  request.buffer_bytes = 16 * kib;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("vgg16"), request);
  const core::Plan view = plan.view();
  std::uint64_t all = 0, without_dense = 0;
  for (core::LayerIndex row = 0; row < plan.layers.size(); ++row) {
    const std::uint64_t bytes = tiling::traffic(view, row).bytes();
    all += bytes;
    if (plan.layers[row].work_class != core::WorkClass::dense) without_dense += bytes;
  }
  EXPECT_LE(static_cast<double>(all), 1.3 * 168.7e6);
  EXPECT_LE(static_cast<double>(without_dense), 2.0 * 45.0e6);
}

}  // namespace
}  // namespace spillway::least_traffic
