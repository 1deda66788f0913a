#pragma once

#include <string>
#include <vector>

#include "plan_tables.hpp"

namespace spillway::oracle {

/// A plan small enough to follow all its interleavings.
struct SmallPlan {
  std::string name;
  PlanTables tables;
};

/// A chain, a residual block whose skip is ready early, tiles of several parts, frames in flight, a concatenation.
std::vector<SmallPlan> small_plans();

/// The same kinds, with more buffers, frames or tiles: millions of states.
std::vector<SmallPlan> larger_plans();

}  // namespace spillway::oracle
