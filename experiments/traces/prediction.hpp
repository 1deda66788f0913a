#pragma once

#include <vector>

#include "experiments/traces/error_statistics.hpp"
#include "experiments/traces/fit.hpp"
#include "experiments/traces/replay.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::traces {

/// A layer's times of service: what the simulator charges, and what the trace shows (ServedTask::service_ns).
struct LayerPrediction {
  Compared io_s, compute_s;
};

/// A trace against the simulation of its plan.
struct Prediction {
  std::vector<LayerPrediction> layers;  ///< by row of the plan
  Compared makespan_s;

  /// Of the layers that are held out, or of the others, one resource.
  ErrorStatistics errors(const std::vector<bool>& held_out, bool of_held_out, bool io) const;
};

/// Simulates the plan with the figures (the virtual clock) and compares. Tasks that the trace has not are left out of
/// the layers' times.
Prediction predict(const tiling::SwapPlan& plan, const Figures& figures, const Replay& replay);

}  // namespace spillway::traces
