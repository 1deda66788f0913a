#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "experiments/traces/error_statistics.hpp"
#include "experiments/traces/run_trace.hpp"

namespace spillway::traces {

/// Where two runs of one plan first decide differently on a resource.
struct OrderDifference {
  std::size_t position = 0;                       ///< in the order of the resource's tasks, from 0
  std::optional<core::Task> simulated, measured;  ///< empty: that run has no more tasks there
};

/// The order in which tasks of one resource started.
struct OrderComparison {
  std::size_t simulated = 0, measured = 0;  ///< tasks
  std::size_t same = 0;                     ///< tasks before the first difference
  std::optional<OrderDifference> difference;
};

/// A task that both runs have.
struct ComparedTask {
  core::Task task;
  Compared seconds;
};

/// Busy time of the tasks of a layer that both runs have, over all frames.
struct ComparedLayer {
  std::uint16_t layer = 0;
  std::string name;
  std::size_t tasks = 0;
  Compared io_s, compute_s;

  Compared busy_s() const { return {io_s.simulated + compute_s.simulated, io_s.measured + compute_s.measured}; }
};

/// A simulated run against a measured one.
struct Comparison {
  OrderComparison io, compute;
  std::vector<ComparedTask> tasks;  ///< in the order of frame, layer, tile, kind, index
  std::vector<ComparedLayer> layers;
  std::vector<core::Task> only_simulated, only_measured;

  Compared makespan_s;                 ///< from the first start to the last end
  Compared io_busy_s, compute_busy_s;  ///< of the tasks that both have

  std::array<ErrorStatistics, 4> by_kind;  ///< of tasks' durations, in the order of core::TaskKind
  ErrorStatistics all_tasks;
  ErrorStatistics layer_io, layer_compute, layer_busy;  ///< of layers' busy times; layers without any are left out

  bool same_order() const { return !io.difference && !compute.difference; }
  bool same_tasks() const { return only_simulated.empty() && only_measured.empty(); }
};

/// Which tasks take part.
enum class Scope : std::uint8_t {
  all,
  compute,  ///< of a measurement of kernels alone
  io,
};

/// Compares two traces of one plan. What one trace has and the other has not is listed and takes no part in the errors.
Comparison compare(const RunTrace& simulated, const RunTrace& measured, Scope scope = Scope::all);

}  // namespace spillway::traces
