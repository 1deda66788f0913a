#pragma once

#include <cstdint>
#include <string>

#include "oracle.hpp"
#include "plan_tables.hpp"

namespace spillway::oracle {

/// How many tasks a driver has under way at one time.
struct Limits {
  std::uint32_t io = 1, compute = 1;
};

/// What a run of core and oracle side by side showed.
struct Comparison {
  std::string difference;  ///< the first one; empty where both did the same
  bool stalled = false;    ///< both stood still before the end
  std::uint64_t tasks = 0;
  std::uint64_t selections = 0;
  Encounters encounters;
};

/// Runs a plan in the core and in the oracle with the same completions, in an order that the seed decides, and compares
/// every answer: selections, empty ones too, error codes, free buffers, frames done, the final state.
Comparison compare_schedules(const PlanTables& tables, std::uint64_t seed, const Limits& limits);

/// Compares the core's arithmetic (regions, chunks, bytes, work) with the elements themselves, for every tile and task
/// of the contiguous layout. Returns the first difference, or an empty text.
std::string compare_geometry(const PlanTables& tables);

/// A task as text: `compute frame 0 layer 1 tile 2 index 3`.
std::string to_string(const core::Task& task);

}  // namespace spillway::oracle
