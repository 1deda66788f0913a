#include "sim/swap/energy.hpp"

#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::swap {
namespace {

platforms::Board board_of(double idle_w, double compute_w) {
  platforms::Board board;
  board.idle_power.value = idle_w;
  board.compute_power.value = compute_w;
  return board;
}

TEST(Energy, IsIdleComputeAndCardByHand) {
  Result result;
  result.makespan_ns = 10'000'000'000;
  result.compute_busy_ns = 4'000'000'000;
  result.io_busy_ns = 7'000'000'000;
  platforms::Card card;
  card.power.value = 0.25;
  const Energy energy = energy_of(result, board_of(0.5, 1.5), card);
  EXPECT_DOUBLE_EQ(energy.idle_j, 3.0);
  EXPECT_DOUBLE_EQ(energy.compute_j, 6.0);
  EXPECT_DOUBLE_EQ(energy.card_j, 1.75);
  EXPECT_DOUBLE_EQ(energy.total_j(), 10.75);
}

TEST(Energy, InCoreIsComputeAlone) {
  EXPECT_DOUBLE_EQ(in_core_energy_j(2.0, board_of(0.5, 1.5)), 3.0);
}

TEST(Energy, InCoreTimeIsThatOfAComputeThatNothingDisturbs) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  tiling::Request request;
  request.sram_bytes = 512 * 1024;
  request.buffer_bytes = 16 * 1024;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("mobilenet"), request);
  const Result result = simulate(plan, board, card, {.mode = Mode::sequential});
  const double rounding_s = 5e-9 * static_cast<double>(result.compute_tasks());
  EXPECT_NEAR(in_core_compute_s(plan, board), static_cast<double>(result.compute_busy_ns) * 1e-9, rounding_s);

  platforms::Board twice_as_fast = board;
  for (platforms::Figure& rate : twice_as_fast.rates)
    rate.value *= 2;
  EXPECT_DOUBLE_EQ(in_core_compute_s(plan, twice_as_fast), in_core_compute_s(plan, board) / 2);
}

TEST(Energy, MoreFramesNeverCostLess) {
  const platforms::Board board = platforms::load_board("stm32f746g-disco");
  const platforms::Card card = platforms::load_card("f746-disco-measured");
  double previous = 0;
  for (std::uint32_t frames = 1; frames <= 6; ++frames) {
    tiling::Request request;
    request.sram_bytes = 320 * 1024;
    request.buffer_bytes = 16 * 1024;
    request.frames = frames;
    const Result result = simulate(tiling::make_plan(*models::zoo("tiny-residual"), request), board, card);
    const double total = energy_of(result, board, card).total_j();
    EXPECT_GT(total, previous);
    previous = total;
  }
}

}  // namespace
}  // namespace spillway::swap
