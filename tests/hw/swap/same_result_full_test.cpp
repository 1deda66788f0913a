#include "same_result.hpp"
#include <gtest/gtest.h>

namespace spillway::execution {
namespace {

TEST(SameResultFull, EveryPlanComputesWhatTheUntiledNetworkDoes) {
  for (std::uint32_t seed = 100; seed < 110 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    tiling::Random random(seed);
    Covered covered;
    for (int i = 0; i < 400 && !HasFailure(); ++i)
      expect_same_result(random, covered);
    EXPECT_GT(covered.plans, 150);
  }
}

}  // namespace
}  // namespace spillway::execution
