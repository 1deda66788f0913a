#pragma once

#include <cstdint>
#include <ostream>

#include "comparison.hpp"
#include "random_plan.hpp"
#include <gtest/gtest.h>

namespace spillway::oracle {

/// Plans, and how many of them met what makes a schedule difficult at least once.
struct Tally {
  std::uint64_t plans = 0, tasks = 0, selections = 0, stalled = 0;
  std::uint64_t skipped = 0, kept = 0, held_back = 0, across_frames = 0;
};

inline std::ostream& operator<<(std::ostream& stream, const Tally& tally) {
  return stream << tally.plans << " plans, " << tally.tasks << " tasks, " << tally.selections
                << " selections; plans with: a task passed over " << tally.skipped
                << ", buffers kept for a tile of several parts " << tally.kept << ", a frame held back by the window "
                << tally.held_back << ", a frame overtaking an earlier one " << tally.across_frames
                << "; stalled (strict queue or shared pool) " << tally.stalled;
}

/// Runs core and oracle side by side on the random plans of the seeds [first, first + count) and stops at the first
/// difference, which it reports with its seed and plan.
inline Tally compare_random_plans(std::uint64_t first, std::uint64_t count) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const PlanTables tables = random_plan(seed);
    const Limits limits{1 + static_cast<std::uint32_t>(seed % 3), 1 + static_cast<std::uint32_t>(seed / 3 % 2)};
    const Comparison result = compare_schedules(tables, seed, limits);
    if (!result.difference.empty()) {
      ADD_FAILURE() << "seed " << seed << ", " << limits.io << " IO and " << limits.compute
                    << " compute outstanding: " << result.difference << "\n"
                    << tables.dump();
      return tally;
    }
    const bool claimed = tables.settings.queue == core::Queue::skip && !tables.settings.pools.shared;
    EXPECT_TRUE(!result.stalled || !claimed) << "seed " << seed << " is stalled\n" << tables.dump();
    ++tally.plans;
    tally.tasks += result.tasks;
    tally.selections += result.selections;
    tally.stalled += result.stalled;
    tally.skipped += result.encounters.skipped != 0;
    tally.kept += result.encounters.kept != 0;
    tally.held_back += result.encounters.held_back != 0;
    tally.across_frames += result.encounters.across_frames != 0;
  }
  return tally;
}

}  // namespace spillway::oracle
