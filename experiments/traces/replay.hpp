#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "experiments/traces/run_trace.hpp"
#include "sim/core/plan.hpp"

namespace spillway::traces {

/// A measured task with what the scheduler says about it.
struct ServedTask {
  trace::Record record;
  /// When it could start: the end of the task that gave it its resource, its input or its buffers.
  std::uint64_t ready_ns = 0;
  /// Time of a compute task, from ready to end, during which an IO task was between ready and end.
  std::uint64_t overlap_ns = 0;

  /// What a simulator has to charge: the driver's way from one task to the next is part of it.
  std::uint64_t service_ns() const { return record.end_ns - ready_ns; }
  std::uint64_t dispatch_ns() const { return record.start_ns - ready_ns; }
};

/// A trace held to its plan.
struct Replay {
  std::vector<ServedTask> tasks;  ///< in the order of their start
  bool complete = false;          ///< every task of the plan is there; else tasks count as ready when they start
};

/// Gives the scheduler core the ends of a trace's tasks, in their order, and finds out when each task could start.
/// `plan`: the one that was run. Throws TraceError: a task that the plan does not have, moves other bytes, or that the
/// core would not have started then; the message has both decisions.
Replay replay(const core::Plan& plan, const RunTrace& run);

}  // namespace spillway::traces
