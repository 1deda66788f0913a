#pragma once

#include <cstdint>
#include <string>

#include "comparison.hpp"
#include "plan_tables.hpp"

namespace spillway::oracle {

/// What an exhaustive exploration met.
struct Exploration {
  std::uint64_t states = 0;       ///< different ones
  std::uint64_t transitions = 0;  ///< selections and completions followed
  std::uint64_t done = 0;         ///< states in which the run is done
  std::uint64_t stalled = 0;      ///< states in which nothing runs, nothing can start, and the run is not done
  std::string fault;              ///< the first broken rule with the state's history; empty: none
  std::string first_stalled;      ///< history of the first stalled state
};

/// Follows every interleaving of select_io, select_compute and finish of any SELECTED task on the real core, and checks
/// in every state that no buffer has two users, that a task is selected once, after all its predecessors, and finished
/// once, that an empty selection changes nothing, and that a run that is done left no task behind and no buffer taken.
/// Every transition moves one task forward, so that a plan without stalled states always comes to its end. States are
/// told apart by 128 bits of hash over the core's bytes and the tasks' states.
Exploration explore(const PlanTables& tables, const Limits& limits);

/// The same, but only until the first stalled state, or until `most_states` are known.
Exploration find_stall(const PlanTables& tables, const Limits& limits, std::uint64_t most_states);

}  // namespace spillway::oracle
