#include "exploration.hpp"

#include <iostream>

#include "expect_no_stall.hpp"
#include "small_plans.hpp"
#include <gtest/gtest.h>

namespace spillway::oracle {
namespace {

TEST(Exploration, NoInterleavingStallsOrLosesABuffer) {
  for (const std::uint32_t io : {1U, 3U})
    expect_no_stall(small_plans(), {.io = io, .compute = 1});
}

TEST(Exploration, TwoComputeTasksAtATime) {
  expect_no_stall(small_plans(), {.io = 2, .compute = 2});
}

TEST(Exploration, NoInterleavingWithPinsStallsOrLosesABuffer) {
  for (const std::uint32_t io : {1U, 3U})
    expect_no_stall(small_plans_with_pins(), {.io = io, .compute = 1});
  expect_no_stall(small_plans_with_pins(), {.io = 2, .compute = 2});
}

/// Without a part that makes the kept output wait for what its reader reads too, the two wait for each other.
TEST(Exploration, AKeptOutputThatDoesNotWaitForItsReadersInputDeadlocks) {
  const SmallPlan plan = kept_output_that_waits_for_nobody();
  const Exploration found = find_stall(plan.tables, {.io = 1, .compute = 1}, 100'000);
  EXPECT_EQ(found.fault, "") << plan.tables.dump();
  EXPECT_EQ(found.stalled, 1U);
  std::cout << plan.name << ":\n" << found.first_stalled;
}

TEST(Exploration, OneSharedPoolOfTheSameSizeDeadlocks) {
  std::uint64_t plans_that_stall = 0;
  for (SmallPlan& plan : small_plans()) {
    plan.tables.settings.pools.shared = true;
    const Exploration found = find_stall(plan.tables, {.io = 3, .compute = 1}, 100'000);
    std::cout << plan.name << ", shared: " << found << "\n";
    EXPECT_EQ(found.fault, "") << plan.name << "\n" << plan.tables.dump();
    plans_that_stall += found.stalled != 0;
  }
  EXPECT_GE(plans_that_stall, 1U) << "the exploration has to be able to find a deadlock";
}

/// The strict queue stands outside the claim: what it does is recorded, and only a lost buffer or task is a fault.
TEST(Exploration, StrictQueueIsRecorded) {
  for (SmallPlan& plan : small_plans()) {
    plan.tables.settings.queue = core::Queue::strict;
    const Exploration found = explore(plan.tables, {.io = 3, .compute = 1});
    std::cout << plan.name << ", strict: " << found << "\n";
    EXPECT_EQ(found.fault, "") << plan.name << "\n" << plan.tables.dump();
    EXPECT_GE(found.done + found.stalled, 1U) << plan.name;
  }
}

}  // namespace
}  // namespace spillway::oracle
