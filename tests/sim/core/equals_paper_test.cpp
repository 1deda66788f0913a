#include "equals_paper.hpp"

#include <iostream>

namespace spillway::oracle {
namespace {

TEST(EqualsPaper, TenThousandRandomPlans) {
  const Tally tally = compare_random_plans(random_plan, 0, 10'000);
  std::cout << tally << "\n";
  EXPECT_EQ(tally.plans, 10'000U);
  EXPECT_GE(tally.skipped, 1'000U);
  EXPECT_GE(tally.kept, 1'000U);
  EXPECT_GE(tally.held_back, 1'000U);
  EXPECT_GE(tally.across_frames, 1'000U);
  EXPECT_GE(tally.stalled, 100U);
}

TEST(EqualsPaper, TenThousandRandomPlansWithPins) {
  const Tally tally = compare_random_plans(random_plan_with_pins, 0, 10'000);
  std::cout << tally << "\n";
  EXPECT_EQ(tally.plans, 10'000U);
  EXPECT_GE(tally.weights_outside, 1'000U);
  EXPECT_GE(tally.later_groups, 1'000U);
  EXPECT_GE(tally.kept_outputs, 1'000U);
  EXPECT_GE(tally.both, 1'000U);
  EXPECT_GE(tally.passed_over, 1'000U);
  EXPECT_GE(tally.waited_for_pins, 1'000U);
  EXPECT_GE(tally.no_ticket, 1'000U);
  EXPECT_GE(tally.by_itself, 1'000U);
  EXPECT_EQ(tally.stalled, 0U);
}

TEST(EqualsPaper, MoreOutstandingThanTheCoreSelects) {
  for (PlanOfSeed* plan : {random_plan, random_plan_with_pins}) {
    for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
      const PlanTables tables = plan(seed);
      const Comparison result = compare_schedules(tables, seed, {core::Scheduler::max_selected, 3});
      ASSERT_EQ(result.difference, "") << "seed " << seed << "\n" << tables.dump();
    }
  }
}

TEST(EqualsElements, TenThousandRandomPlans) {
  for (PlanOfSeed* plan : {random_plan, random_plan_with_pins}) {
    for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
      const PlanTables tables = plan(seed);
      ASSERT_EQ(compare_geometry(tables), "") << "seed " << seed << "\n" << tables.dump();
    }
  }
}

}  // namespace
}  // namespace spillway::oracle
