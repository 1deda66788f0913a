#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/parameters.hpp"

namespace spillway::experiments {

/// How a point ended.
enum class PointStatus : std::uint8_t {
  done,        ///< `ok` in results: it has its metrics
  infeasible,  ///< no plan, or no mapping, satisfies the request
  stalled,     ///< a deadlock, which a strict queue allows
  failed,      ///< an error; the sweep went on, but its exit code says so
};

/// `ok`, `infeasible`, `stalled`, `failed`.
std::string_view to_string(PointStatus status);

/// What became of a point.
struct PointResult {
  PointStatus status = PointStatus::done;
  std::string reason;                         ///< empty when done
  std::vector<std::optional<Value>> metrics;  ///< in the order of the metrics of its kind; empty unless done
};

/// Whether a swap run has the SimGrid driver.
bool is_on_simgrid(const Point& point);

/// How a sweep is run. Nothing of it changes its results.
struct RunOptions {
  unsigned jobs = 1;  ///< threads
  /// Told after each point how many of all are finished; called by one thread at a time.
  std::function<void(std::size_t finished, std::size_t all)> progress = {};
  /// Results from an earlier run, for each point; those are not run again. Empty: none.
  std::span<const std::optional<PointResult>> known = {};
  /// Given each point that was run, in the order of finishing; called by one thread at a time. What it throws ends the
  /// sweep and comes out of run_points.
  std::function<void(std::size_t point, const PointResult& result)> keep = {};
  /// Asked before each point; true ends the sweep with Stopped.
  std::function<bool()> stop = {};
  /// All points in the order in which they begin; empty: that of the sweep.
  std::span<const std::size_t> order = {};
  /// Points that run one after the other on the calling thread.
  bool (*one_thread)(const Point& point) = is_on_simgrid;
};

/// A sweep that RunOptions::stop ended before its last point.
class Stopped : public std::runtime_error {
 public:
  Stopped(std::size_t finished_points, std::size_t all_points)
      : std::runtime_error("stopped"), finished(finished_points), all(all_points) {}

  std::size_t finished, all;
};

/// Runs every point of a sweep of swap runs; results stand in the order of the points. Points with the SimGrid driver
/// run one after the other on the calling thread, which must be the same in every call of a process: SimGrid has one
/// engine. Throws InputError when a board or card file cannot be read, Stopped, and what RunOptions::keep throws;
/// whatever else happens in a point becomes its result.
std::vector<PointResult> run_points(std::span<const Point> points, const RunOptions& options);

/// A way to run a point. What it throws makes the point failed, or infeasible (tiling::Infeasible); crew::Unanswered
/// ends the sweep instead and comes out of run_points.
using RunPoint = std::function<PointResult(const Point&)>;

/// That of swap runs, for any of these points. Throws InputError when a board or card file cannot be read.
RunPoint run_swap(std::span<const Point> points);

/// What comes out of running a point, whatever that is. Throws crew::Unanswered alone.
PointResult outcome_of(const RunPoint& run, const Point& point);

/// The same as above with another way to run a point.
std::vector<PointResult> run_points(std::span<const Point> points, const RunOptions& options, const RunPoint& run);

}  // namespace spillway::experiments
