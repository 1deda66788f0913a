#include "hw/kernels/memory_plan.hpp"

#include <algorithm>
#include <random>
#include <vector>

#include <gtest/gtest.h>

namespace spillway::kernels {
namespace {

TEST(MemoryPlan, BuffersThatAreNeededAtOnceLieApart) {
  std::mt19937 random(1);
  std::size_t tight = 0;
  for (int round = 0; round < 500; ++round) {
    std::vector<BufferUse> uses(1 + random() % 40);
    for (BufferUse& use : uses) {
      use.bytes = random() % 5000;
      use.first = static_cast<int>(random() % 30);
      use.last = use.first + static_cast<int>(random() % 6);
    }
    const MemoryPlan plan = plan_memory(uses);
    ASSERT_EQ(plan.offsets.size(), uses.size());
    for (std::size_t a = 0; a < uses.size(); ++a) {
      ASSERT_EQ(plan.offsets[a] % 64, 0U);
      ASSERT_LE(plan.offsets[a] + uses[a].bytes, plan.bytes);
      for (std::size_t b = 0; b < a; ++b) {
        const bool at_once = uses[a].first <= uses[b].last && uses[b].first <= uses[a].last;
        const bool apart =
            plan.offsets[a] + uses[a].bytes <= plan.offsets[b] || plan.offsets[b] + uses[b].bytes <= plan.offsets[a];
        ASSERT_TRUE(!at_once || apart) << round << ": " << a << " and " << b;
      }
    }
    ASSERT_GE(plan.bytes, plan.largest_live);
    tight += plan.bytes <= plan.largest_live + plan.largest_live * 3 / 10;
  }
  EXPECT_GT(tight, 475U);  // within 1.3 times what is needed at least
}

TEST(MemoryPlan, AChainNeedsTwoNeighbours) {
  std::vector<BufferUse> chain;
  for (int step = 0; step < 10; ++step)
    chain.push_back({std::size_t{6400}, step, step + 1});
  const MemoryPlan plan = plan_memory(chain);
  EXPECT_EQ(plan.bytes, 2U * 6400);
  EXPECT_EQ(plan.largest_live, 2U * 6400);
}

TEST(MemoryPlan, NothingNeedsNothing) {
  EXPECT_EQ(plan_memory({}).bytes, 0U);
}

}  // namespace
}  // namespace spillway::kernels
