#pragma once

#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "experiments/intensity.hpp"
#include "experiments/parameters.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "platforms/endurance.hpp"
#include "platforms/units.hpp"
#include "sim/swap/result.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {

/// A finished swap run with what its metrics are computed from.
struct Run {
  const tiling::SwapPlan& plan;
  const platforms::Board& board;
  const platforms::Card& card;
  const swap::Result& result;
  double in_core_compute_s = 0;  ///< compute of one frame with nothing else going on
  std::vector<CountedLayer> counted_layers;
  const platforms::EnduranceTest& endurance;
  std::optional<double> daily_writes;  ///< bytes that the lifetimes are calculated with; nothing: those of the run
};

/// A column of the results.
struct Metric {
  std::string_view name;     ///< with its unit; a count has none
  platforms::Unit unit;      ///< of a published value; counts and shares: ratio
  std::string_view formula;  ///< for documentation
};

/// Those of a swap run, in the order of the columns.
std::span<const Metric> metrics();

/// In the order of metrics(); nothing: not defined for this run.
std::vector<std::optional<Value>> measure(const Run& run);

}  // namespace spillway::experiments
