#pragma once

#include <vector>

#include "sim/core/scheduler.hpp"
#include "sim/swap/result.hpp"
#include "sim/swap/service_times.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::swap {

/// One run of the core under a driver: what both drivers do with a task that starts or finishes. The driver owns time.
class Run {
 public:
  /// Throws std::invalid_argument, with the reason, for a plan that the core refuses.
  Run(const core::Plan& plan, const ServiceTimes& times, trace::Sink* sink);

  core::Scheduler& core() { return core_; }

  /// A task that occupies its resource.
  struct Active {
    core::Task task;
    std::uint64_t start_ns = 0;
    ServiceTimes::Service service;  ///< without contention
  };

  /// In place: a copy right behind its parts' stores would stall the processor at every task.
  void begin(Active& active, const core::Task& task, std::uint64_t now_ns) const {
    active.task = task;
    active.start_ns = now_ns;
    active.service = times_.of(task);
  }

  /// Tells the core, the result and the trace that a task has finished.
  void complete(const Active& active, std::uint64_t now_ns);

  /// To be called after the selections of an instant: records the pool levels if they changed.
  void selections_made(std::uint64_t now_ns) {
    if (sink_ != nullptr) record_levels(now_ns);
  }

  /// Closes the run. Both resources are idle.
  Result finish(std::uint64_t now_ns);

 private:
  void record_levels(std::uint64_t now_ns);

  const core::Plan& plan_;
  const ServiceTimes& times_;
  trace::Sink* sink_;
  std::vector<std::uint32_t> storage_;
  core::Scheduler core_;
  Result result_;
  std::uint32_t frames_done_ = 0;
  trace::PoolLevels levels_;
};

/// Runs a plan on two busy-until clocks in whole nanoseconds: the fast driver.
Result run_virtual_clock(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink);

/// Runs a plan on SimGrid: the reference. The board is a host, the card a second host whose work is its service time;
/// no actors, activities are started by completions. Not re-entrant and not for several threads: SimGrid has one
/// engine.
Result run_simgrid(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink);

}  // namespace spillway::swap
