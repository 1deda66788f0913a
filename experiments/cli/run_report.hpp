#pragma once

#include <cstddef>
#include <string>

#include "experiments/execution/card_run.hpp"
#include "experiments/execution/quantized_run.hpp"
#include "hw/linux/runtime.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::cli {

/// What a user wants to know about a real run: plan, time, and what each kind of task took and moved.
std::string report(const tiling::SwapPlan& plan, const experiments::QuantizedRun& program,
                   const execution::RunResult& result, const std::string& input);

/// Whether the outputs are right.
std::string report(const experiments::Verdict& verdict);

/// The outputs of the first frames: the largest numbers and where they are.
void print_top(const experiments::CardRun& card, std::size_t top);

}  // namespace spillway::cli
