#include <iostream>

#include "equals_paper.hpp"

namespace spillway::oracle {
namespace {

TEST(EqualsPaperFull, TwoHundredThousandRandomPlans) {
  const Tally tally = compare_random_plans(random_plan, 1'000'000, 200'000);
  std::cout << tally << "\n";
  EXPECT_EQ(tally.plans, 200'000U);
}

TEST(EqualsPaperFull, TwoHundredThousandRandomPlansWithPins) {
  const Tally tally = compare_random_plans(random_plan_with_pins, 1'000'000, 200'000);
  std::cout << tally << "\n";
  EXPECT_EQ(tally.plans, 200'000U);
}

TEST(EqualsElementsFull, TwoHundredThousandRandomPlans) {
  for (PlanOfSeed* plan : {random_plan, random_plan_with_pins}) {
    for (std::uint64_t seed = 1'000'000; seed < 1'100'000; ++seed) {
      const PlanTables tables = plan(seed);
      ASSERT_EQ(compare_geometry(tables), "") << "seed " << seed << "\n" << tables.dump();
    }
  }
}

}  // namespace
}  // namespace spillway::oracle
