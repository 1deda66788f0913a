#include "equals_paper.hpp"

#include <iostream>

namespace spillway::oracle {
namespace {

TEST(EqualsPaper, TenThousandRandomPlans) {
  const Tally tally = compare_random_plans(0, 10'000);
  std::cout << tally << "\n";
  EXPECT_EQ(tally.plans, 10'000U);
  EXPECT_GE(tally.skipped, 1'000U);
  EXPECT_GE(tally.kept, 1'000U);
  EXPECT_GE(tally.held_back, 1'000U);
  EXPECT_GE(tally.across_frames, 1'000U);
  EXPECT_GE(tally.stalled, 100U);
}

TEST(EqualsPaper, MoreOutstandingThanTheCoreSelects) {
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    const PlanTables tables = random_plan(seed);
    const Comparison result = compare_schedules(tables, seed, {core::Scheduler::max_selected, 3});
    ASSERT_EQ(result.difference, "") << "seed " << seed << "\n" << tables.dump();
  }
}

TEST(EqualsElements, TenThousandRandomPlans) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const PlanTables tables = random_plan(seed);
    ASSERT_EQ(compare_geometry(tables), "") << "seed " << seed << "\n" << tables.dump();
  }
}

}  // namespace
}  // namespace spillway::oracle
