#pragma once

#include <optional>
#include <string>
#include <vector>

#include "experiments/traces/comparison.hpp"

namespace spillway::cli {

/// Bounds that a comparison has to keep; empty: no bound.
struct ComparisonBounds {
  std::optional<double> makespan;  ///< of the absolute relative error
  std::optional<double> layers;    ///< of the mean absolute error of layers' busy times
  bool same_order = false;

  bool any() const { return makespan || layers || same_order; }
};

/// What keeps a comparison from its bounds, one line each. With any bound both runs must have the same tasks.
std::vector<std::string> misses(const traces::Comparison& comparison, const ComparisonBounds& bounds);

/// Tables for people.
std::string report(const traces::Comparison& comparison, const traces::RunTrace& simulated,
                   const traces::RunTrace& measured);

/// The same for programs; README.md of experiments/traces says what each field is. `timelines`: with every task's
/// place in both runs.
std::string to_json(const traces::Comparison& comparison, const traces::RunTrace& simulated,
                    const traces::RunTrace& measured, const std::vector<std::string>& missed, bool timelines);

/// `+3.21 %`, or `-` for nothing.
std::string signed_percent(std::optional<double> share);

}  // namespace spillway::cli
