#pragma once

#include <stdexcept>
#include <string>
#include <vector>

#include "experiments/comparison.hpp"

namespace spillway::experiments {

/// An experiment of the project, run and held against its published values.
struct Reproduced {
  explicit Reproduced(const std::string& name)
      : experiment(load_experiment(name)),
        results(run_points(experiment.points, {2, {}})),
        comparisons(compare(experiment, results)) {}

  /// Rows by verdict: `id` or, for a value judged at several points, `id` several times.
  std::vector<std::string> with(Verdict verdict) const {
    std::vector<std::string> ids;
    for (const Comparison& comparison : comparisons) {
      if (comparison.verdict == verdict) ids.push_back(comparison.target->id);
    }
    return ids;
  }

  double ours(const std::string& id) const {
    for (const Comparison& comparison : comparisons) {
      if (comparison.target->id == id) return comparison.ours.value();
    }
    throw std::out_of_range(id);
  }

  Experiment experiment;
  std::vector<PointResult> results;
  std::vector<Comparison> comparisons;
};

}  // namespace spillway::experiments
