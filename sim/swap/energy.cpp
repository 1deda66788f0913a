#include "sim/swap/energy.hpp"

namespace spillway::swap {

Energy energy_of(const Result& result, const platforms::Board& board, const platforms::Card& card) {
  const double total_s = static_cast<double>(result.makespan_ns) * 1e-9;
  const double compute_s = static_cast<double>(result.compute_busy_ns) * 1e-9;
  const double io_s = static_cast<double>(result.io_busy_ns) * 1e-9;
  return {board.idle_power.value * (total_s - compute_s), board.compute_power.value * compute_s,
          card.power.value * io_s};
}

double in_core_energy_j(double compute_s, const platforms::Board& board) {
  return board.compute_power.value * compute_s;
}

}  // namespace spillway::swap
