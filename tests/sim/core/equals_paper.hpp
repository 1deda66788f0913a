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
  std::uint64_t weights_outside = 0, later_groups = 0, kept_outputs = 0, both = 0;
  std::uint64_t passed_over = 0, waited_for_pins = 0, no_ticket = 0, by_itself = 0;
};

inline std::ostream& operator<<(std::ostream& stream, const Tally& tally) {
  return stream << tally.plans << " plans, " << tally.tasks << " tasks, " << tally.selections
                << " selections; plans with: a task passed over " << tally.skipped
                << ", buffers kept for a tile of several parts " << tally.kept << ", a frame held back by the window "
                << tally.held_back << ", a frame overtaking an earlier one " << tally.across_frames
                << "; stalled (strict queue or shared pool) " << tally.stalled << "; weights outside "
                << tally.weights_outside << ", in several groups " << tally.later_groups << ", kept output "
                << tally.kept_outputs << ", both at once " << tally.both << ", passed over because another has pins "
                << tally.passed_over << ", waited for pins " << tally.waited_for_pins << ", waited for a ticket "
                << tally.no_ticket << ", a tile that began by itself " << tally.by_itself;
}

/// random_plan or random_plan_with_pins.
using PlanOfSeed = PlanTables(std::uint64_t seed);

/// Runs core and oracle side by side on the random plans of the seeds [first, first + count) and stops at the first
/// difference, which it reports with its seed and plan.
inline Tally compare_random_plans(PlanOfSeed* plan, std::uint64_t first, std::uint64_t count) {
  Tally tally;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    const PlanTables tables = plan(seed);
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
    tally.weights_outside += result.encounters.weights_outside != 0;
    tally.later_groups += result.encounters.later_groups != 0;
    tally.kept_outputs += result.encounters.kept_outputs != 0;
    tally.both += result.encounters.both != 0;
    tally.passed_over += result.encounters.passed_over != 0;
    tally.waited_for_pins += result.encounters.waited_for_pins != 0;
    tally.no_ticket += result.encounters.no_ticket != 0;
    tally.by_itself += result.encounters.by_itself != 0;
  }
  return tally;
}

}  // namespace spillway::oracle
