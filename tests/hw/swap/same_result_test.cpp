#include "same_result.hpp"

#include <gtest/gtest.h>

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

}  // namespace
}  // namespace spillway::execution
