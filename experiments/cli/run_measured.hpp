#pragma once

#include <optional>
#include <string>

#include "experiments/execution/quantized_run.hpp"
#include "experiments/execution/task_times.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::cli {

/// A trace that a board's firmware sent (sim/trace/wire.hpp), and what is asked about it.
struct MeasuredRequest {
  std::string trace;
  std::optional<std::string> calibrate;         ///< file to write
  std::optional<experiments::TaskTimes> times;  ///< to predict with
};

/// The trace beside the simulation with the board's and card's figures and, with times, beside what they predict: the
/// makespan and every layer. Writes the times that are fitted to it. Throws platforms::InputError: the trace is
/// unreadable, not whole, or of another plan.
std::string judge_measured(const MeasuredRequest& asked, const tiling::SwapPlan& plan,
                           const experiments::QuantizedRun& program, const platforms::Board& board,
                           const platforms::Card& card);

}  // namespace spillway::cli
