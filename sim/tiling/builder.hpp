#pragma once

#include <cstdint>
#include <vector>

#include "sim/tiling/cut.hpp"
#include "sim/tiling/lower.hpp"
#include "sim/tiling/swap_plan.hpp"

/// Puts a plan's tables together, layer after layer. Inside the room only.
namespace spillway::tiling {

class Builder {
 public:
  /// `layers` are all that will be added.
  Builder(SwapPlan& plan, const std::vector<SwapLayer>& layers) : plan_(plan), layers_(layers) {}

  /// Throws Unsupported where a number exceeds the plan's tables.
  void add(const SwapLayer& from, const Cut& cut);

 private:
  std::uint64_t largest_input(const core::Layer& layer) const;
  void add_consumers();

  SwapPlan& plan_;
  const std::vector<SwapLayer>& layers_;
};

}  // namespace spillway::tiling
