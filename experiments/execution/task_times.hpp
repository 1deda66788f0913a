#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "experiments/execution/driver_gaps.hpp"
#include "hw/swap/card_map.hpp"
#include "platforms/card.hpp"
#include "sim/core/plan.hpp"
#include "sim/trace/record.hpp"

namespace spillway::experiments {

/// A plan with what decides how a driver carries out its tasks.
struct CarriedPlan {
  const core::Plan& plan;
  const execution::CardMap& map;
  std::uint32_t landing_bytes = 0;  ///< of execution::Movement's landing area
};

/// What an IO task takes: us for the task, for each of its commands (execution::Movement's transfers), for each 1,000
/// bytes, for each run of bytes that is copied from or to the landing area.
struct IoTimes {
  double task = 0, command = 0, kilobyte = 0, run = 0;
};

/// What the tasks of a class of work take beside the time for a task: us for each 1,000 of its work (core::work_of), of
/// output values, and of input values, which a task gathers once for all its filters.
struct WorkTimes {
  double work = 0, output = 0, input = 0;
};

/// Figures of the card that a trace was taken with: us for an operation, and for 1,000 bytes.
struct CardTimes {
  double read_overhead = 0, read_kilobyte = 0, write_overhead = 0, write_kilobyte = 0;
};

CardTimes card_times(const platforms::Card& card);

/// What tasks take on a machine, fitted to the trace of a real run. Unlike a card's figures (platforms::Card) it tells
/// apart how many commands a task needs.
struct TaskTimes {
  IoTimes read, write;
  double compute = 0;                                ///< us for each compute task
  std::array<WorkTimes, core::work_classes> work{};  ///< by class
  Gap io_gap, compute_gap;
  std::optional<CardTimes> card;  ///< nothing: unknown

  /// Nanoseconds from a task's beginning to its end, for the tasks of a plan; this and `carried` must outlive it.
  std::function<std::uint64_t(const core::Task&)> durations(const CarriedPlan& carried) const;

  /// The same machine with another card: what the cards' figures differ by is added to commands and bytes. Throws
  /// platforms::InputError where the card of the trace is unknown, or the other one is faster than the fit allows.
  TaskTimes with(const platforms::Card& other) const;
};

/// Nonnegative least squares over the records of a run of `carried`. Of convolution and pointwise, which have one
/// kernel, one stands for the other where no task of it was seen; another class without a task takes the time of the
/// slowest one seen.
TaskTimes fit_times(const CarriedPlan& carried, std::span<const trace::Record> records);

/// How the plan runs with such tasks, in the order of their ends: one card and one CPU that do not slow each other
/// down.
std::vector<trace::Record> predicted_run(const CarriedPlan& carried, const TaskTimes& times);

/// The end of the last task, in nanoseconds.
std::uint64_t makespan_of(std::span<const trace::Record> records);

/// As a JSON file. Throws trace::FileError.
void write_times(const std::filesystem::path& path, const TaskTimes& times);

/// Throws platforms::InputError.
TaskTimes read_times(const std::filesystem::path& path);

}  // namespace spillway::experiments
