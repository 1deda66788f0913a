#include "sim/swap/energy_claim.hpp"

#include <stdexcept>

#include "sim/swap/energy.hpp"

namespace spillway::swap {

FrameEnergy frame_energy(const Result& result, const tiling::SwapPlan& plan, const platforms::Board& board,
                         const platforms::Card& card) {
  if (result.stalled || result.frame_done_ns.empty()) {
    throw std::invalid_argument("a run that did not finish its frames has no energy of a frame");
  }
  const auto frames = static_cast<double>(result.frame_done_ns.size());
  return {energy_of(result, board, card).total_j() / frames, in_core_energy_j(in_core_compute_s(plan, board), board)};
}

WorstCaseVerdict judge_worst_case(std::span<const FrameEnergy> energies, double claimed_ratio) {
  if (energies.empty()) throw std::invalid_argument("no energies to judge");
  WorstCaseVerdict verdict;
  for (std::size_t i = 0; i < energies.size(); ++i) {
    const double ratio = energies[i].ratio();
    if (ratio > claimed_ratio) ++verdict.above;
    if (ratio > verdict.worst_ratio) {
      verdict.worst = i;
      verdict.worst_ratio = ratio;
    }
  }
  return verdict;
}

}  // namespace spillway::swap
