#pragma once

#include <iostream>
#include <ostream>
#include <vector>

#include "exploration.hpp"
#include "small_plans.hpp"
#include <gtest/gtest.h>

namespace spillway::oracle {

inline std::ostream& operator<<(std::ostream& stream, const Exploration& exploration) {
  return stream << exploration.states << " states, " << exploration.transitions << " transitions, " << exploration.done
                << " done, " << exploration.stalled << " stalled";
}

/// Expects that every interleaving of each plan comes to its end with every task finished and every buffer free.
inline void expect_no_stall(const std::vector<SmallPlan>& plans, const Limits& limits) {
  for (const SmallPlan& plan : plans) {
    const Exploration found = explore(plan.tables, limits);
    std::cout << plan.name << ", " << limits.io << " IO, " << limits.compute << " compute: " << found << "\n";
    EXPECT_EQ(found.fault, "") << plan.name << "\n" << plan.tables.dump();
    EXPECT_EQ(found.stalled, 0U) << plan.name << "\n" << found.first_stalled;
    EXPECT_GE(found.done, 1U) << plan.name;
  }
}

}  // namespace spillway::oracle
