#include "same_result.hpp"

#include <gtest/gtest.h>

#include "models/layers.hpp"

namespace spillway::execution {
namespace {

TEST(SameResult, EveryPlanComputesWhatTheUntiledNetworkDoes) {
  tiling::Random random(11);
  Covered covered;
  for (int i = 0; i < 500 && !HasFailure(); ++i)
    expect_same_result(random, covered);
  EXPECT_GT(covered.plans, 60);
  EXPECT_GT(covered.planes, 10);
  EXPECT_GT(covered.several_tiles, 10);
  EXPECT_GT(covered.several_chunks, 10);
  EXPECT_GT(covered.cut_filters, 5);
  EXPECT_GT(covered.weights_outside, 5);
  EXPECT_GT(covered.kept_outputs, 5);
  EXPECT_GT(covered.several_parts, 10);
  EXPECT_GT(covered.several_buffers, 5);
  EXPECT_GT(covered.channel_groups, 5);
  EXPECT_GT(covered.frames_reuse_maps, 5);
  for (const int kernel : covered.kernels)
    EXPECT_GT(kernel, 5);
}

/// Rule paper's plans are executable where every operation is whole rows that begin and end with a sector.
TEST(SameResult, AnExecutablePlanOfRulePaperDoesToo) {
  models::Network network("whole-rows");
  const models::Window window = models::square(3, 1, 1);
  const models::NodeId input = models::input(network, {32, 16, 16});
  const models::NodeId first = models::convolution(network, "first", input, 32, window);
  const models::NodeId second = models::convolution(network, "second", first, 32, window);
  models::append(network, models::Operator::add, "sum", {first, second});
  tiling::Request request;
  request.buffer_bytes = 4608;
  request.sram_bytes = 12 * request.buffer_bytes;
  request.frames = 2;
  request.window = 1;
  const tiling::SwapPlan plan = tiling::make_plan(network, request);
  ASSERT_EQ(plan.counting_only, "");
  ASSERT_EQ(plan.layout, core::CardLayout::contiguous);
  tiling::Random random(3);
  Covered covered;
  for (int i = 0; i < 5; ++i)
    expect_same_result(network, plan, random, covered);
  EXPECT_GT(covered.several_tiles, 0);
}

}  // namespace
}  // namespace spillway::execution
