#include "sim/tiling/swap_plan.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"
#include "sim/core/geometry.hpp"
#include "sim/tiling/counts.hpp"

/// Single plans with known tables.
namespace spillway::tiling {
namespace {

using core::network_input;
using core::Part;
using models::Network;
using models::NodeId;
using models::Operator;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr std::uint64_t kib = 1024;

Request request_of(Rule rule, std::uint64_t buffer_bytes, std::uint64_t buffers = 16) {
  Request request;
  request.rule = rule;
  request.buffer_bytes = buffer_bytes;
  request.sram_bytes = buffers * buffer_bytes;
  return request;
}

std::vector<Part> parts_of(const SwapPlan& plan, std::size_t row) {
  const core::Layer& layer = plan.layers[row];
  return {plan.parts.begin() + layer.first_part, plan.parts.begin() + layer.first_part + layer.parts};
}

/// One convolution on a square map.
Network one_convolution(std::int64_t channels, std::int64_t side, std::int64_t filters, const models::Window& window,
                        std::int64_t groups = 1) {
  Network network("net");
  const NodeId in = models::input(network, {channels, side, side});
  models::convolution(network, "conv", in, filters, window, {.groups = groups});
  return network;
}

TEST(SwapPlan, View) {
  Request request = request_of(Rule::paper, 16 * kib, 9);
  request.frames = 3;
  request.queue = core::Queue::strict;
  request.shared_pool = true;
  const SwapPlan plan = make_plan(*models::zoo("tiny-chain"), request);
  core::Plan view = plan.view();
  EXPECT_EQ(view.layers.data(), plan.layers.data());
  EXPECT_EQ(view.pools.input, 2);
  EXPECT_EQ(view.pools.weights, 5);
  EXPECT_EQ(view.pools.output, 2);
  EXPECT_TRUE(view.pools.shared);
  EXPECT_EQ(view.buffer_bytes, 16 * kib);
  EXPECT_EQ(view.frames, 3u);
  EXPECT_EQ(view.window, 3u);
  EXPECT_EQ(view.queue, core::Queue::strict);
  EXPECT_EQ(view.layout, core::CardLayout::contiguous);

  request.window = 2;
  request.rule = Rule::halo;
  view = make_plan(*models::zoo("tiny-chain"), request).view();
  EXPECT_EQ(view.window, 2u);
  EXPECT_EQ(view.layout, core::CardLayout::tile_major);
}

TEST(SwapPlan, ConsumersOfAResidualBlock) {
  Network network("net");
  const NodeId in = models::input(network, {4, 8, 8});
  const NodeId a = models::convolution(network, "a", in, 4, models::square(1));
  const NodeId b = models::convolution(network, "b", a, 4, models::square(3, 1, 1));
  const NodeId sum = models::append(network, Operator::add, "sum", {a, b});
  models::dense(network, "c", sum, 2);
  const SwapPlan plan = make_plan(network, request_of(Rule::paper, 4 * kib));
  EXPECT_THAT(plan.layer_names, ElementsAre("a", "b", "sum", "c"));
  EXPECT_THAT(plan.layer_nodes, ElementsAre(a, b, sum, sum + 1));
  EXPECT_THAT(plan.consumers, ElementsAre(1, 2, 2, 3));
  EXPECT_EQ(plan.layers[0].consumers, 2);
  EXPECT_EQ(plan.layers[3].consumers, 0);
}

TEST(SwapPlan, PaperIgnoresTheElementType) {
  Request request = request_of(Rule::paper, 16 * kib);
  request.element = models::ElementType::float32;
  const SwapPlan plan = make_plan(*models::zoo("mobilenet"), request);
  EXPECT_EQ(plan.layers[0].element_bytes, 1);
  EXPECT_EQ(io_tasks(plan.view()), 2'829u);
}

TEST(SwapPlan, PaperChargesDepthwiseAsDenseWhereTheNetworkSaysSo) {
  const SwapPlan dense = make_plan(*models::zoo("mobilenet-dense-depthwise"), request_of(Rule::paper, 16 * kib));
  const SwapPlan exact = make_plan(*models::zoo("mobilenet"), request_of(Rule::paper, 16 * kib));
  ASSERT_EQ(dense.layer_names[3], exact.layer_names[3]);
  EXPECT_EQ(dense.layers[3].filter_bytes, 64u * 9);
  EXPECT_EQ(exact.layers[3].filter_bytes, 9u);
  EXPECT_EQ(dense.layers[3].filter_work, 9u);
  EXPECT_EQ(traffic(dense.view()).work, traffic(exact.view()).work);

  const SwapPlan halo = make_plan(*models::zoo("mobilenet-dense-depthwise"), request_of(Rule::halo, 16 * kib));
  EXPECT_EQ(halo.layers[3].filter_bytes, 9u);
}

/// fc6 of VGG: 25,088 inputs are two parts in two buffers; a filter is a full buffer and a rest.
TEST(SwapPlan, PaperCutsLongFiltersAtBuffers) {
  const SwapPlan plan = make_plan(*models::zoo("vgg16"), request_of(Rule::paper, 16 * kib, 32));
  const core::Layer& layer = plan.layers[18];
  EXPECT_EQ(plan.layer_names[18], "fc6");
  EXPECT_THAT(parts_of(plan, 18), ElementsAre(Part{0, 12544, 0, 17}, Part{12544, 12544, 12544, 17}));
  EXPECT_EQ(layer.input_buffers, 2);
  EXPECT_EQ(layer.pieces, 2u);
  EXPECT_EQ(layer.piece_bytes, 16 * kib);
  EXPECT_EQ(layer.chunks, 8192u);
}

TEST(SwapPlan, PaperSplitsChannelsOfAGlobalPool) {
  const SwapPlan plan = make_plan(*models::zoo("mobilenet"), request_of(Rule::paper, 16 * kib));
  const core::Layer& layer = plan.layers[plan.layers.size() - 2];
  EXPECT_EQ(layer.work_class, core::WorkClass::pooling);
  EXPECT_EQ(layer.groups, 4u);
  EXPECT_EQ(layer.tile_channels, 256u);
  EXPECT_EQ(layer.input_buffers, 1);
}

/// A window of 3 and stride 2: `paper` charges 2 t + 2 rows for t, of which one is never read.
TEST(SwapPlan, HaloChargesTheClippedReceptiveField) {
  const Network network = one_convolution(8, 16, 8, models::square(3, 2, 1));
  // All 16 x 16 x 8 bytes fit 2 KiB exactly, the 18 x 18 that `paper` charges do not.
  EXPECT_EQ(make_plan(network, request_of(Rule::halo, 2 * kib)).layers[0].tiles(), 1u);
  EXPECT_EQ(make_plan(network, request_of(Rule::paper, 2 * kib)).layers[0].tiles(), 2u);
}

TEST(SwapPlan, HaloCutsFiltersAtInputParts) {
  // A filter has 9 x 200 = 1,800 bytes, the window of one pixel as many: four parts of 50 channels in four buffers.
  const SwapPlan plan = make_plan(one_convolution(200, 6, 3, models::square(3)), request_of(Rule::halo, 512));
  const core::Layer& layer = plan.layers[0];
  EXPECT_THAT(parts_of(plan, 0), ElementsAre(Part{0, 50, 0, network_input}, Part{50, 50, 50, network_input},
                                             Part{100, 50, 100, network_input}, Part{150, 50, 150, network_input}));
  EXPECT_EQ(layer.input_buffers, 4);
  EXPECT_EQ(layer.pieces, 4u);
  EXPECT_EQ(layer.piece_bytes, 450u);
  EXPECT_EQ(layer.chunk_filters, 1u);
  EXPECT_EQ(layer.chunks, 12u);
  EXPECT_EQ(plan.counting_only, "");
}

TEST(SwapPlan, HaloCutsGroupedFiltersWithinTheirGroup) {
  // Two groups of 100 channels; a filter has 900 bytes and is cut in two.
  const SwapPlan plan = make_plan(one_convolution(200, 6, 2, models::square(3), 2), request_of(Rule::halo, 512));
  EXPECT_THAT(parts_of(plan, 0), ElementsAre(Part{0, 50, 0, network_input}, Part{50, 50, 50, network_input},
                                             Part{100, 50, 100, network_input}, Part{150, 50, 150, network_input}));
  EXPECT_EQ(plan.layers[0].pieces, 2u);
  EXPECT_EQ(plan.layers[0].piece_bytes, 450u);
}

/// The accumulators of the filter in progress stand beside the int8 outputs; a float32 sum is its own accumulator.
TEST(SwapPlan, HaloChargesAccumulators) {
  // Filters of 600 bytes are cut; one pixel has 508 outputs, and with its accumulator fills a buffer exactly.
  const SwapPlan full = make_plan(one_convolution(600, 1, 508, models::square(1)), request_of(Rule::halo, 512));
  EXPECT_EQ(full.layers[0].groups, 1u);
  const SwapPlan split = make_plan(one_convolution(600, 1, 509, models::square(1)), request_of(Rule::halo, 512));
  EXPECT_EQ(split.layers[0].groups, 2u);
  EXPECT_EQ(split.layers[0].tile_channels, 255u);

  // 4 pixels of 127 outputs fit a buffer, with 4 accumulators they do not.
  const Network small_map = one_convolution(64, 2, 127, models::square(3, 1, 1));
  EXPECT_EQ(make_plan(small_map, request_of(Rule::halo, 512)).layers[0].tiles(), 2u);

  Request request = request_of(Rule::halo, 512, 64);
  request.element = models::ElementType::float32;
  EXPECT_EQ(make_plan(one_convolution(600, 1, 128, models::square(1)), request).layers[0].groups, 1u);
}

TEST(SwapPlan, HaloSplitsChannelwiseLayersIntoTiles) {
  Network network("net");
  const NodeId in = models::input(network, {64, 4, 4});
  models::local_response_normalization(network, "lrn", in, 5);
  Request request = request_of(Rule::halo, 512);
  request.element = models::ElementType::float32;
  const SwapPlan plan = make_plan(network, request);
  const core::Layer& layer = plan.layers[0];
  ASSERT_THAT(parts_of(plan, 0), ElementsAre(Part{0, 64, 0, network_input}));
  // One channel group of one pixel has 256 bytes; two pixels fill the buffer.
  EXPECT_EQ(layer.groups, 1u);
  EXPECT_EQ(layer.tile_height * layer.tile_width, 2u);

  Network wide("wide");
  models::local_response_normalization(wide, "lrn", models::input(wide, {200, 4, 4}), 5);
  const SwapPlan split = make_plan(wide, request);
  EXPECT_EQ(split.layers[0].groups, 2u);
  EXPECT_EQ(split.layers[0].tile_channels, 100u);
  // The second group reads channels 98 to 199.
  const core::Region region = core::input_region(split.layers[0], split.parts[0], split.layers[0].tiles() - 1);
  EXPECT_EQ(region.channels, (core::Range{98, 200}));

  // Three groups of 126 would do but for the middle one, which has neighbours on both sides.
  Network wider("wider");
  models::local_response_normalization(wider, "lrn", models::input(wider, {378, 4, 4}), 5);
  EXPECT_EQ(make_plan(wider, request).layers[0].groups, 4u);
}

/// An axis with one output has no second window that a stride could lead to.
TEST(SwapPlan, StrideOfASingleOutputCountsAsOne) {
  for (const std::int64_t stride : {1, 7}) {
    Network network("net");
    models::average_pool(network, "pool", models::input(network, {1024, 7, 7}), models::square(7, stride));
    EXPECT_EQ(make_plan(network, request_of(Rule::paper, 16 * kib)).layers[0].groups, 4u);
  }
}

TEST(SwapPlan, PaperCountsAddsPadsOfBothSides) {
  models::Window window = models::square(3);
  window.pad_bottom = window.pad_right = 2;
  // (8 + 2)^2 x 10 is 1,000 and so below 1,024; with both pads 2 it would be 1,440.
  const Network network = one_convolution(10, 8, 4, window);
  EXPECT_EQ(make_plan(network, request_of(Rule::paper_counts, kib)).layers[0].tiles(), 1u);
}

TEST(SwapPlan, CountingOnly) {
  const auto reason = [](Rule rule, const char* network) {
    return make_plan(*models::zoo(network), request_of(rule, 16 * kib, 32)).counting_only;
  };
  EXPECT_EQ(
      reason(Rule::paper, "vgg16"),
      "rule paper charges every operation as one transfer of exactly its bytes, but layer `conv1_1` cannot be moved "
      "so: a tile of its maps is no whole number of rows that begins and ends with a sector of the card");
  EXPECT_EQ(reason(Rule::paper_counts, "vgg16"),
            "rule paper-counts cuts filters where no buffer holds the partial sums, and leaves out all layers without "
            "weights");
  EXPECT_EQ(reason(Rule::halo, "vgg16"), "");
}

/// Whole maps and weights in whole sectors are really moved at once.
TEST(SwapPlan, PaperIsExecutableWhereItsTransfersAreReal) {
  const auto reason = [](std::int64_t side, std::int64_t filters, std::uint64_t buffer) {
    const Network network = one_convolution(64, side, filters, models::square(1));
    return make_plan(network, request_of(Rule::paper, buffer)).counting_only;
  };
  EXPECT_EQ(reason(16, 64, 16 * kib), "");
  EXPECT_EQ(reason(16, 64, 8 * kib), "");  // two tiles of 8 whole rows
  EXPECT_THAT(reason(16, 20, 16 * kib), HasSubstr("`conv`"));
  EXPECT_THAT(reason(5, 64, 16 * kib), HasSubstr("no whole number of rows"));

  // Every second column of every second row.
  EXPECT_THAT(
      make_plan(one_convolution(512, 4, 512, models::square(1, 2)), request_of(Rule::paper, 16 * kib)).counting_only,
      HasSubstr("no whole number of rows"));

  Network dense_depthwise("net");
  const NodeId in = models::input(dense_depthwise, {64, 16, 16});
  models::convolution(dense_depthwise, "conv", in, 64, models::square(1), {.groups = 64, .dense_weight_bytes = true});
  EXPECT_THAT(make_plan(dense_depthwise, request_of(Rule::paper, 16 * kib)).counting_only,
              HasSubstr("its weights are counted as dense"));
}

}  // namespace
}  // namespace spillway::tiling
