#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "sim/core/task.hpp"
#include "sim/trace/record.hpp"

namespace spillway::experiments {

/// Sums of the tasks' times of a layer, of all frames, in nanoseconds.
struct LayerTime {
  std::uint64_t io = 0, compute = 0;
};

/// By row of the plan, as a trace has them.
std::vector<LayerTime> measured_layers(std::size_t rows, std::span<const trace::Record> records);

/// The same tasks with other times.
std::vector<LayerTime> foretold_layers(std::size_t rows, std::span<const trace::Record> records,
                                       const std::function<std::uint64_t(const core::Task&)>& duration_ns);

/// Mean absolute errors of layers against measured ones, relative to these; a layer without a measured time is left
/// out.
struct LayerErrors {
  double io = 0, compute = 0;
  double both = 0;  ///< of a layer's IO and compute time together
};

LayerErrors errors_of(std::span<const LayerTime> foretold, std::span<const LayerTime> measured);

}  // namespace spillway::experiments
