#pragma once

#include <string>

#include "experiments/metrics.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::cli {

/// What a user wants to know about a run: plan, time, tasks, bytes, energy, wear. Lines of `name value`. A stalled run
/// has only the first of them.
std::string for_people(const experiments::Run& run, const swap::Options& options);

}  // namespace spillway::cli
