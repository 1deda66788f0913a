#include "sim/swap/wear.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/counts.hpp"

namespace spillway::swap {
namespace {

constexpr double gb = 1e9;

const platforms::EnduranceTable& table() {
  static const platforms::EnduranceTable loaded = platforms::load_endurance();
  return loaded;
}

const platforms::Card& paper_card() {
  static const platforms::Card card = platforms::load_card("swapnn-paper");
  return card;
}

/// The formulas of SwapNN's durability section in its own units, independent of ours.
double published_years(double test_tb, double gb_per_day) {
  return test_tb * (64 / 4) * 1024 / (gb_per_day * 365);
}

TEST(Wear, LifetimesAreThePublishedOnes) {
  struct Row {
    double gb_per_day, first_low, first_high, half;
  };
  for (const Row& row : {Row{2.0, 145.9, 280.6, 459.7}, Row{2.8, 104.2, 200.4, 328.3}, Row{123, 2.37, 4.56, 7.47}}) {
    const Lifetime life = lifetime_of(row.gb_per_day * gb, paper_card(), table().test);
    EXPECT_NEAR(life.first_cell_low_years / published_years(6.5, row.gb_per_day), 1, 1e-12);
    EXPECT_NEAR(life.first_cell_high_years / published_years(12.5, row.gb_per_day), 1, 1e-12);
    const double half_tb = 64.0 * 1024 * 10'000 / 2 / 1e6;
    EXPECT_NEAR(life.half_cells_years / (half_tb * 1024 / (row.gb_per_day * 365)), 1, 1e-12);
    EXPECT_NEAR(life.first_cell_low_years / row.first_low, 1, 1e-3);
    EXPECT_NEAR(life.first_cell_high_years / row.first_high, 1, 1e-3);
    EXPECT_NEAR(life.half_cells_years / row.half, 1, 1e-3);
  }
}

TEST(Wear, DecimalUnitsByHand) {
  const Lifetime life = lifetime_of(2 * gb, paper_card(), table().test, Units::decimal);
  EXPECT_DOUBLE_EQ(life.first_cell_low_years, 104e3 / 730);
  EXPECT_DOUBLE_EQ(life.first_cell_high_years, 200e3 / 730);
  EXPECT_DOUBLE_EQ(life.half_cells_years, 320e3 / 730);
}

TEST(Wear, NothingWrittenLastsForEver) {
  const Lifetime life = lifetime_of(0, paper_card(), table().test);
  EXPECT_TRUE(std::isinf(life.first_cell_low_years));
  EXPECT_TRUE(std::isinf(life.half_cells_years));
}

TEST(Wear, RealCardsAgainstThePapersTenThousandCycles) {
  // 64 GB x cycles, or 120 TB scaled from 128 GB to 64 GB, at 2 GB a day.
  const std::vector<double> bytes = {640e12, 4634 * 64e9, 3555 * 64e9, 291 * 64e9, 60e12};
  ASSERT_EQ(table().cards.size(), bytes.size());
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    EXPECT_NEAR(years_of(2 * gb, paper_card(), table().cards[i]) / (bytes[i] / 730e9), 1, 1e-12);
  }
}

TEST(Wear, WritesOfADayAreThoseOfItsFrames) {
  const platforms::Board board = platforms::load_board("swapnn-paper");
  tiling::Request request;
  request.sram_bytes = 512 * 1024;
  request.buffer_bytes = 128 * 1024;
  request.frames = 3;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("alexnet"), request);
  const Result result = simulate(plan, board, paper_card());
  const Writes writes = writes_of(result);
  EXPECT_DOUBLE_EQ(writes.frame_bytes, static_cast<double>(tiling::traffic(plan.view()).output_bytes));
  const double frames_per_day = 86'400 / (static_cast<double>(result.makespan_ns) * 1e-9 / 3);
  EXPECT_NEAR(writes.day_bytes / (writes.frame_bytes * frames_per_day), 1, 1e-12);
}

TEST(Wear, AStalledRunHasNoDay) {
  Result result;
  result.makespan_ns = 1;
  result.frame_done_ns = {1};
  EXPECT_NO_THROW(writes_of(result));
  result.stalled = true;
  EXPECT_THROW(writes_of(result), std::invalid_argument);
  EXPECT_THROW(writes_of(Result{}), std::invalid_argument);
}

TEST(Wear, ProgrammedBytesByHand) {
  Result result;
  result.tasks[3] = 10;
  result.bytes[3] = 100'000;
  platforms::Card card = paper_card();
  card.erase_block.value = 40'000;
  card.write_amplification.value = 2;
  EXPECT_EQ(programmed_per_byte(result, card, Programming::amplified, 16'384), 2);
  EXPECT_EQ(programmed_per_byte(result, card, Programming::whole_erase_blocks, 16'384), 10 * 40'000 / 100'000.0);
  EXPECT_EQ(programmed_per_byte(result, card, Programming::whole_erase_blocks, 50'000), 10 * 80'000 / 100'000.0);
  // Blocks so small that the stated amplification is worse.
  card.erase_block.value = 512;
  EXPECT_EQ(programmed_per_byte(result, card, Programming::whole_erase_blocks, 16'384), 2);
  result.tasks[3] = result.bytes[3] = 0;
  EXPECT_EQ(programmed_per_byte(result, card, Programming::whole_erase_blocks, 16'384), 1);
}

}  // namespace
}  // namespace spillway::swap
