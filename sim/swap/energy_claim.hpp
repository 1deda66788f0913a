#pragma once

#include <cstddef>
#include <span>

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/result.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::swap {

/// One frame swapped, against the same frame with all memory in core.
struct FrameEnergy {
  double swapped_j = 0;  ///< energy_of(run) / frames: idle, compute (contention and crypto included) and card
  double in_core_j = 0;  ///< in_core_energy_j(in_core_compute_s(plan, board), board)

  double ratio() const { return swapped_j / in_core_j; }
};

/// Throws std::invalid_argument for a run that stalled: its energy is not that of its frames.
FrameEnergy frame_energy(const Result& result, const tiling::SwapPlan& plan, const platforms::Board& board,
                         const platforms::Card& card);

/// SwapNN, energy section: 0.10 Wh out of core against 0.07 Wh in core, "+42 %", said to be the worst case.
inline constexpr double published_worst_energy_ratio = 1.42;

/// Whether the published worst case bounds what was simulated.
struct WorstCaseVerdict {
  std::size_t worst = 0;  ///< index of the highest ratio, the first of equals
  double worst_ratio = 0;
  std::size_t above = 0;  ///< how many ratios exceed the claim

  bool holds() const { return above == 0; }
};

/// Throws std::invalid_argument for no energies.
WorstCaseVerdict judge_worst_case(std::span<const FrameEnergy> energies,
                                  double claimed_ratio = published_worst_energy_ratio);

}  // namespace spillway::swap
