#include "agreement.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/swap/energy.hpp"
#include "sim/swap/simulate.hpp"

namespace spillway::swap {
namespace {

tiling::SwapPlan plan_for(const char* network, tiling::Rule rule = tiling::Rule::paper) {
  tiling::Request request;
  request.sram_bytes = 320 * 1024;
  request.buffer_bytes = 16 * 1024;
  request.rule = rule;
  request.frames = 2;
  return tiling::make_plan(*models::zoo(network), request);
}

// One resource at a time: what crypto adds is exactly bytes x cost, on the CPU or on the card.
TEST(Crypto, AddsTheBytesTimesTheirCost) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  for (const char* network : {"tiny-residual", "tiny-inception", "alexnet", "mobilenet"}) {
    const tiling::SwapPlan plan = plan_for(network);
    const Result open = simulate(plan, board, card, {.mode = Mode::sequential});
    const Result cpu = simulate(plan, board, card, {.mode = Mode::sequential, .crypto = Crypto::cpu});
    const Result accelerator = simulate(plan, board, card, {.mode = Mode::sequential, .crypto = Crypto::accelerator});
    const auto bytes = static_cast<double>(open.bytes_read() + open.bytes_written());
    // Rounding to 10 ns: weights, inputs and outputs of the compute tasks, each operation of the card.
    const double rounding_ns = 5.0 * static_cast<double>(open.io_tasks() + open.compute_tasks());
    EXPECT_EQ(cpu.io_busy_ns, open.io_busy_ns) << network;
    EXPECT_NEAR(static_cast<double>(cpu.compute_busy_ns - open.compute_busy_ns), bytes * 52.1 / 216e6 * 1e9,
                rounding_ns)
        << network;
    EXPECT_EQ(accelerator.compute_busy_ns, open.compute_busy_ns) << network;
    EXPECT_NEAR(static_cast<double>(accelerator.io_busy_ns - open.io_busy_ns), bytes * 1.91 / 216e6 * 1e9, rounding_ns)
        << network;
    EXPECT_EQ(cpu.bytes, open.bytes) << network;
  }
}

TEST(Crypto, TheCpusTimeIsPaidAtItsComputePower) {
  const platforms::Board board = platforms::load_board("stm32f746g-disco");
  const platforms::Card card = platforms::load_card("f746-disco-measured");
  const tiling::SwapPlan plan = plan_for("tiny-chain");
  const Result open = simulate(plan, board, card, {.mode = Mode::sequential});
  const Result cpu = simulate(plan, board, card, {.mode = Mode::sequential, .crypto = Crypto::cpu});
  const double added_s = static_cast<double>(cpu.compute_busy_ns - open.compute_busy_ns) * 1e-9;
  EXPECT_GT(added_s, 0);
  EXPECT_NEAR(energy_of(cpu, board, card).total_j() - energy_of(open, board, card).total_j(),
              added_s * board.compute_power.value, 1e-9);
}

TEST(Crypto, ABoardThatStatesNoCostIsRefused) {
  platforms::Board board = platforms::load_board("swapnn-paper");
  board.crypto.accelerator.reset();
  const platforms::Card card = platforms::load_card("swapnn-paper");
  const tiling::SwapPlan plan = plan_for("tiny-chain");
  EXPECT_NO_THROW(simulate(plan, board, card, {.crypto = Crypto::cpu}));
  try {
    simulate(plan, board, card, {.crypto = Crypto::accelerator});
    FAIL() << "ran without a cost";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "board swapnn-paper states no crypto.accelerator_cost");
  }
}

TEST(Crypto, DriversAgree) {
  const platforms::Card card = platforms::load_card("f746-disco-measured");
  for (const double contention : {0.0, 0.164}) {
    platforms::Board board = platforms::load_board("stm32f746g-disco");
    board.contention.value = contention;
    for (const Crypto crypto : {Crypto::cpu, Crypto::accelerator}) {
      for (const char* network : {"tiny-chain", "tiny-residual", "tiny-inception", "tiny-depthwise", "squeezenet"}) {
        for (const tiling::Rule rule : {tiling::Rule::paper, tiling::Rule::halo, tiling::Rule::min_traffic}) {
          for (const Mode mode : {Mode::parallel, Mode::sequential}) {
            EXPECT_EQ(disagreement(plan_for(network, rule), board, card, mode, crypto), "")
                << network << ", " << tiling::to_string(rule) << ", contention " << contention;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace spillway::swap
