#pragma once

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "platforms/efficiencies.hpp"
#include "sim/cost/work.hpp"

/// Fits the numbers of layer_cost.hpp to measured times: least squares on relative errors, nothing negative.
namespace spillway::cost {

/// One measured time.
struct Sample {
  std::size_t group = 0;  ///< board and class: what has a scale and a launch of its own
  Work work;
  double peak = 0;       ///< MAC/s that the data sheet gives to the cores or the GPU that were used
  double bandwidth = 0;  ///< bytes/s
  double seconds = 0;
  double weight = 1;  ///< of the squared relative error
};

/// What one group has of its own.
struct GroupCosts {
  double scale = 1;
  double launch_s = 0;
};

/// Shares by kind.
struct Shares {
  std::array<double, platforms::compute_kinds.size()> peak{};
  std::array<double, platforms::memory_kinds.size()> bandwidth{};
};

/// Where the fit starts and what it stays near: a few whole networks say little about some kinds. Of direct
/// convolutions and products of matrices about two thirds of the peak are usual, Winograd's method saves up to 4 of 5
/// multiplications and pays for its transforms, depthwise convolutions reuse little of what they load.
inline constexpr Shares prior_shares{{0.6, 1.6, 0.7, 0.15, 0.7}, {0.3, 0.3, 0.3, 0.3}};

struct FitOptions {
  /// Share a kind with its like where whole networks cannot tell them apart: dense with pointwise, and one bandwidth
  /// for all kinds of layers.
  bool tie_kinds = true;
  /// Weight of a share's relative distance from its prior, against 1 for the relative error of one time. Chosen by
  /// leaving one of the fitted networks out, where 0.05 to 0.4 differ little.
  double prior_weight = 0.2;
};

struct Fit {
  Shares shares;
  std::vector<GroupCosts> groups;
  int rounds = 0;  ///< until nothing changed by more than 1e-10
};

/// Alternates between the two numbers of each group and the shares, each step a linear problem in launch and inverse
/// scale, and in inverse shares. Every group from 0 to `groups` - 1 must have a sample.
/// Throws std::invalid_argument where one has none, or a number of a sample is not positive.
Fit fit(std::span<const Sample> samples, std::size_t groups, const FitOptions& options = {});

/// What a board that was not measured takes from those that were.
struct PooledCosts {
  double scale = 1;
  double launch_units = 0;
};

/// One scale and one launch for all samples, whatever their groups, with the shares given. A launch takes as long on
/// the board of sample i as `launch_unit_s[i]` says, times the units that are found.
PooledCosts fit_pooled(std::span<const Sample> samples, std::span<const double> launch_unit_s, const Shares& shares);

}  // namespace spillway::cost
