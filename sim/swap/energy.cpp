#include "sim/swap/energy.hpp"

#include <cstddef>

#include "sim/tiling/counts.hpp"

namespace spillway::swap {

Energy energy_of(const Result& result, const platforms::Board& board, const platforms::Card& card) {
  const double total_s = static_cast<double>(result.makespan_ns) * 1e-9;
  const double compute_s = static_cast<double>(result.compute_busy_ns) * 1e-9;
  const double io_s = static_cast<double>(result.io_busy_ns) * 1e-9;
  return {board.idle_power.value * (total_s - compute_s), board.compute_power.value * compute_s,
          card.power.value * io_s};
}

double in_core_compute_s(const tiling::SwapPlan& plan, const platforms::Board& board) {
  const core::Plan view = plan.view();
  double seconds = 0;
  for (std::size_t i = 0; i < plan.layers.size(); ++i) {
    const auto work_class = static_cast<std::size_t>(plan.layers[i].work_class);
    const std::uint64_t work = tiling::traffic(view, static_cast<core::LayerIndex>(i)).work;
    seconds += static_cast<double>(work) / board.rates[work_class].value;
  }
  return seconds;
}

double in_core_energy_j(double compute_s, const platforms::Board& board) {
  return board.compute_power.value * compute_s;
}

}  // namespace spillway::swap
