#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <span>

#include "hw/swap/card_map.hpp"
#include "sim/core/plan.hpp"
#include "sim/trace/record.hpp"

namespace spillway::experiments {

/// What an IO task takes: us for the task, for each of its extents (execution::ExtentWalk), for each 1,000 bytes.
struct IoTimes {
  double task = 0, extent = 0, kilobyte = 0;
};

/// What tasks take on a machine, fitted to the trace of a real run. Unlike a card's figures (platforms::Card) it tells
/// apart how many extents a task moves: each is a command of its own.
struct TaskTimes {
  IoTimes read, write;
  double compute = 0;                             ///< us for each compute task
  std::array<double, core::work_classes> work{};  ///< us for each 1,000 of a class's work (core::work_of)

  /// Nanoseconds.
  std::uint64_t of(const core::Plan& plan, const execution::CardMap& map, const core::Task& task) const;
};

/// Nonnegative least squares over the records of a run of `plan`, which keep the sum of the times. A class of which no
/// task was seen takes the time of the slowest one seen.
TaskTimes fit_times(const core::Plan& plan, const execution::CardMap& map, std::span<const trace::Record> records);

/// How long the plan takes with such tasks, in nanoseconds: one card and one CPU that do not slow each other down.
std::uint64_t predicted_makespan(const core::Plan& plan, const execution::CardMap& map, const TaskTimes& times);

/// As a JSON file. Throws trace::FileError.
void write_times(const std::filesystem::path& path, const TaskTimes& times);

/// Throws platforms::InputError.
TaskTimes read_times(const std::filesystem::path& path);

}  // namespace spillway::experiments
