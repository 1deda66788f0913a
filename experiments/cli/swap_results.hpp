#pragma once

#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/metrics.hpp"
#include "experiments/runner.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::cli {

/// A run as a sweep of one point, so that its files are those of every other result.
struct OnePointSweep {
  experiments::Experiment experiment;
  std::vector<experiments::PointResult> results;
};

/// `board` and `card` are names or paths, as the user gave them.
OnePointSweep as_sweep(const experiments::Run& run, const swap::Options& options, const std::string& board,
                       const std::string& card);

/// The sweep before its run: what a results directory is made for.
experiments::Experiment swap_experiment();

}  // namespace spillway::cli
