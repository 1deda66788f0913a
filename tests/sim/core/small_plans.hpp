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

/// Weights outside, kept outputs and both, in chains, a residual block and two branches, with frames in flight; the
/// pools leave little beside the pins.
std::vector<SmallPlan> small_plans_with_pins();

/// One of them that stalls when tiles begin without a ticket: what has begun takes weight buffers and the only output
/// buffer from each other.
SmallPlan plan_that_needs_tickets();

/// A kept output whose reader also waits for a layer that waits for its pins. Nothing may be made so: see
/// core::Layer::output_pins.
SmallPlan kept_output_that_waits_for_nobody();

/// The same kinds, with more buffers, frames or tiles: millions of states.
std::vector<SmallPlan> larger_plans();

std::vector<SmallPlan> larger_plans_with_pins();

/// Millions of states with one IO task at a time, too many with three.
std::vector<SmallPlan> largest_plans_with_pins();

}  // namespace spillway::oracle
