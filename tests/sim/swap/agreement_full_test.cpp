#include "agreement.hpp"
#include <gtest/gtest.h>

namespace spillway::swap {
namespace {

// Every point of Figures 6 to 8, ten frames included, without and with contention.
class WholeGrid : public testing::TestWithParam<double> {};

TEST_P(WholeGrid, DriversAgree) {
  platforms::Board board = platforms::load_board("swapnn-paper");
  board.contention.value = GetParam();
  const platforms::Card card = platforms::load_card("swapnn-paper");
  for (const GridPoint& point : figure_grid({1, 10})) {
    EXPECT_EQ(disagreement(plan_of(point), board, card, point.mode), "") << to_string(point);
  }
}

INSTANTIATE_TEST_SUITE_P(Contention, WholeGrid, testing::Values(0.0, 0.164));

}  // namespace
}  // namespace spillway::swap
