#pragma once

#include <chrono>
#include <cstdint>
#include <vector>

#include "hw/linux/runtime.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/trace/record.hpp"

/// What a run notes while it goes on. Inside the room only.
namespace spillway::execution {

/// Nothing is written before the run has ended, so that noting takes no time of it.
class RunLog {
 public:
  RunLog(const core::Plan& plan, bool records);

  void begin() { start_ = std::chrono::steady_clock::now(); }

  /// Nanoseconds since begin().
  std::uint64_t now() const;

  /// A task has been delivered to the scheduler, which counts so many frames as done now.
  void done(const core::Task& task, std::uint64_t start_ns, std::uint64_t end_ns, std::uint32_t frames_done);

  /// To be called after the selections of an instant.
  void levels(const core::Scheduler& scheduler);

  void end(std::uint64_t transfers);

  /// Passes everything on, in the order in which it was noted.
  void tell(trace::Sink* sink) const;

  const RunResult& result() const { return result_; }

 private:
  /// Levels after a number of records.
  struct Levels {
    std::size_t records = 0;
    trace::PoolLevels levels;
  };

  const core::Plan& plan_;
  bool records_wanted_;
  std::chrono::steady_clock::time_point start_;
  RunResult result_;
  std::uint32_t frames_done_ = 0;
  std::vector<trace::Record> records_;
  std::vector<Levels> levels_;
};

}  // namespace spillway::execution
