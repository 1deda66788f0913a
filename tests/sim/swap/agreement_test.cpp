#include "agreement.hpp"

#include <gtest/gtest.h>

#include "models/zoo.hpp"

// The virtual clock and SimGrid are written apart: what they agree on does not rest on either.

namespace spillway::swap {
namespace {

TEST(Agreement, GridOfOneFrame) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  const platforms::Card card = platforms::load_card("swapnn-paper");
  for (const GridPoint& point : figure_grid({1})) {
    EXPECT_EQ(disagreement(plan_of(point), board, card, point.mode), "") << to_string(point);
  }
}

TEST(Agreement, ContentionOnLargeBuffers) {
  platforms::Board board = platforms::load_board("swapnn-paper");
  board.contention.value = 0.164;
  const platforms::Card card = platforms::load_card("swapnn-paper");
  for (const GridPoint& point : figure_grid({1, 10})) {
    if (point.buffer_bytes < 64 * 1024) continue;
    EXPECT_EQ(disagreement(plan_of(point), board, card, point.mode), "") << to_string(point);
  }
}

TEST(Agreement, EveryRuleQueueAndSmallNetwork) {
  for (const double contention : {0.0, 0.164, 0.5}) {
    platforms::Board board = platforms::load_board("stm32f746g-disco");
    board.contention.value = contention;
    const platforms::Card card = platforms::load_card("f746-disco-measured");
    for (const char* network : {"tiny-chain", "tiny-residual", "tiny-inception", "tiny-depthwise", "squeezenet"}) {
      for (const tiling::Rule rule : {tiling::Rule::paper, tiling::Rule::halo, tiling::Rule::min_traffic}) {
        for (const core::Queue queue : {core::Queue::skip, core::Queue::strict}) {
          tiling::Request request;
          request.sram_bytes = 320 * 1024;
          request.buffer_bytes = 8 * 1024;
          request.rule = rule;
          request.queue = queue;
          request.frames = 3;
          EXPECT_EQ(disagreement(tiling::make_plan(*models::zoo(network), request), board, card, Mode::parallel), "")
              << network << ", " << tiling::to_string(rule) << ", contention " << contention;
        }
      }
    }
  }
}

}  // namespace
}  // namespace spillway::swap
