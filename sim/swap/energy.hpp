#pragma once

#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/swap/result.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::swap {

/// Energy of a run in joules: E = P_idle (T - T_cpu) + P_compute T_cpu + P_card T_io.
struct Energy {
  double idle_j = 0, compute_j = 0, card_j = 0;

  double total_j() const { return idle_j + compute_j + card_j; }
};

Energy energy_of(const Result& result, const platforms::Board& board, const platforms::Card& card);

/// Seconds that one frame computes with all memory in core: the work of each layer at the board's rate for its class,
/// without tiles and without contention.
double in_core_compute_s(const tiling::SwapPlan& plan, const platforms::Board& board);

/// The same work with all memory in core: the CPU computes for `compute_s` and nothing else happens.
double in_core_energy_j(double compute_s, const platforms::Board& board);

}  // namespace spillway::swap
