#include "sim/swap/energy_claim.hpp"

#include <array>

#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/energy_benchmark.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::swap {
namespace {

// SwapNN, energy section: 178 s and 0.07 Wh in core, 213 s and 0.10 Wh out of core. Fitted: the board's contention and
// powers come from these figures.
TEST(EnergyBenchmark, GivesThePublishedFigures) {
  const platforms::Board board = platforms::load_board("stm32f746g-disco");
  for (const char* card : {"f746-disco-measured", "swapnn-paper"}) {
    const EnergyBenchmarkResult result = run_energy_benchmark(board, platforms::load_card(card));
    EXPECT_NEAR(result.in_core.time_s / 178, 1, 0.03);
    EXPECT_NEAR(result.in_core.energy_wh() / 0.07, 1, 0.03);
    EXPECT_NEAR(result.out_of_core.time_s / 213, 1, 0.03);
    EXPECT_NEAR(result.out_of_core.energy_wh() / 0.10, 1, 0.03);
    EXPECT_NEAR(result.energy_ratio() / 1.42, 1, 0.03);
    EXPECT_NEAR(result.time_ratio(), 213.0 / 178, 1e-3);
  }
}

TEST(EnergyBenchmark, WithoutContentionOnlyTheCardIsAdded) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  const EnergyBenchmarkResult result = run_energy_benchmark(board, card, {.iterations = 7, .iteration_s = 2});
  EXPECT_DOUBLE_EQ(result.out_of_core.time_s, 14);
  EXPECT_DOUBLE_EQ(result.out_of_core.energy_j, 14 * (1.416 + 0.274));
  EXPECT_EQ(result.in_core.writes, 0U);
  EXPECT_EQ(result.out_of_core.writes, static_cast<std::uint64_t>(14 / (0.0009 + 102'400 / 4.31e6)));
}

TEST(EnergyClaim, FrameEnergyIsThatOfTheRunSharedByItsFrames) {
  const platforms::Board board = platforms::load_board("stm32f746g-disco");
  const platforms::Card card = platforms::load_card("f746-disco-measured");
  tiling::Request request;
  request.sram_bytes = 320 * 1024;
  request.buffer_bytes = 16 * 1024;
  request.frames = 4;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("tiny-residual"), request);
  const Result result = simulate(plan, board, card);
  const FrameEnergy energy = frame_energy(result, plan, board, card);
  EXPECT_DOUBLE_EQ(energy.swapped_j * 4, energy_of(result, board, card).total_j());
  EXPECT_DOUBLE_EQ(energy.in_core_j, board.compute_power.value * in_core_compute_s(plan, board));
  EXPECT_GT(energy.ratio(), 1);
  Result stalled = result;
  stalled.stalled = true;
  EXPECT_THROW(frame_energy(stalled, plan, board, card), std::invalid_argument);
}

TEST(EnergyClaim, VerdictByHand) {
  const std::array<FrameEnergy, 3> energies{{{1.2, 1}, {6, 3}, {2, 1}}};
  const WorstCaseVerdict verdict = judge_worst_case(energies);
  EXPECT_FALSE(verdict.holds());
  EXPECT_EQ(verdict.worst, 1U);
  EXPECT_EQ(verdict.worst_ratio, 2);
  EXPECT_EQ(verdict.above, 2U);
  EXPECT_TRUE(judge_worst_case(energies, 2).holds());
  EXPECT_THROW(judge_worst_case({}), std::invalid_argument);
}

// The benchmark computes all the time; a network that waits for its card idles on top of it. MobileNet with small
// buffers, which the paper itself finds IO-bound, is far beyond +42 %; VGG-16 in parallel mode is not.
TEST(EnergyClaim, FortyTwoPercentIsNotTheWorstCaseForIoBoundNetworks) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  std::vector<FrameEnergy> energies;
  for (const char* network : {"vgg16", "mobilenet-dense-depthwise"}) {
    tiling::Request request;
    request.sram_bytes = 512 * 1024;
    request.buffer_bytes = 16 * 1024;
    const tiling::SwapPlan plan = tiling::make_plan(*models::zoo(network), request);
    energies.push_back(frame_energy(simulate(plan, board, card), plan, board, card));
  }
  EXPECT_LT(energies[0].ratio(), published_worst_energy_ratio);
  const WorstCaseVerdict verdict = judge_worst_case(energies);
  EXPECT_EQ(verdict.worst, 1U);
  EXPECT_GT(verdict.worst_ratio, 2);
}

}  // namespace
}  // namespace spillway::swap
