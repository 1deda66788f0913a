#pragma once

#include <cstdint>
#include <functional>
#include <limits>

#include "sim/core/task.hpp"

namespace spillway::execution {

/// Simulated time of one card and one CPU. In lockstep it decides in which order tasks that are really carried out are
/// delivered to the scheduler, so that every driver with the same times makes the same decisions.
class LockstepClock {
 public:
  /// What ends at one instant.
  struct Ends {
    bool io = false, compute = false;
  };

  virtual ~LockstepClock() = default;

  /// A task starts now on its resource, which is idle.
  virtual void start(const core::Task& task) = 0;

  /// What ends first of what has been started, before anything else is. Nothing, where nothing has been started.
  virtual Ends first_to_end() const = 0;

  /// Goes on to that instant; its tasks have ended.
  virtual void go_on() = 0;

  /// The present instant, from the start.
  virtual std::uint64_t now_ns() const = 0;
};

/// A clock on which every task takes a time of its own, whatever else is under way.
class FixedTimes final : public LockstepClock {
 public:
  /// `duration` in nanoseconds.
  explicit FixedTimes(std::function<std::uint64_t(const core::Task&)> duration) : duration_(std::move(duration)) {}

  void start(const core::Task& task) override {
    (core::is_io(task.kind) ? io_end_ : compute_end_) = now_ + duration_(task);
  }
  Ends first_to_end() const override {
    const std::uint64_t first = io_end_ < compute_end_ ? io_end_ : compute_end_;
    return {io_end_ == first && first != never, compute_end_ == first && first != never};
  }
  void go_on() override {
    const Ends ends = first_to_end();
    now_ = io_end_ < compute_end_ ? io_end_ : compute_end_;
    if (ends.io) io_end_ = never;
    if (ends.compute) compute_end_ = never;
  }
  std::uint64_t now_ns() const override { return now_; }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

  std::function<std::uint64_t(const core::Task&)> duration_;
  std::uint64_t now_ = 0, io_end_ = never, compute_end_ = never;
};

}  // namespace spillway::execution
