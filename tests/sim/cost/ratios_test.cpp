#include "sim/cost/ratios.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/problems.hpp"

namespace spillway::cost {
namespace {

using platforms::Computer;

Computer fitted() {
  return platforms::load_computer("jetson-xavier-nx-fitted");
}

TEST(Ratios, CommittedBoardHasThePublishedOnes) {
  const BoardRatios ratios = ratios_of(fitted(), platforms::load_efficiencies());
  EXPECT_NEAR(ratios.throughput, 1.591, 2e-4);
  EXPECT_NEAR(ratios.energy, 0.7175, 2e-4);
}

TEST(Ratios, TwoNumbersAreFittedAndNothingElse) {
  const Computer without = platforms::load_computer("jetson-xavier-nx");
  Computer board = fitted();
  EXPECT_NE(board.gpu->calls.launch.value, without.gpu->calls.launch.value);
  EXPECT_NE(board.spin_power.value, without.spin_power.value);
  EXPECT_THAT(board.gpu->calls.launch.source, testing::StartsWith("fitted: "));
  EXPECT_THAT(board.spin_power.source, testing::StartsWith("fitted: "));
  board.gpu->calls.launch = without.gpu->calls.launch;
  board.spin_power = without.spin_power;
  board.ratios.reset();
  board.description = without.description;
  EXPECT_EQ(to_yaml(board), to_yaml(without));
}

TEST(Ratios, FitFollowsThePublishedNumbers) {
  Computer board = fitted();
  board.ratios->network = "resnet101";
  board.ratios->throughput.value = 1.2;
  board.ratios->energy.value = 1.1;
  fit_ratios(board, platforms::load_efficiencies());
  const BoardRatios ratios = ratios_of(board, platforms::load_efficiencies());
  EXPECT_NEAR(ratios.throughput, 1.2, 2e-4);
  EXPECT_NEAR(ratios.energy, 1.1, 2e-4);
}

TEST(Ratios, LaunchAndPowerAreNeverNegative) {
  Computer board = fitted();
  board.ratios->throughput.value = 100;
  board.ratios->energy.value = 1e-3;
  fit_ratios(board, platforms::load_efficiencies());
  EXPECT_EQ(board.gpu->calls.launch.value, 0);
  EXPECT_EQ(board.spin_power.value, 0);
  const BoardRatios ratios = ratios_of(board, platforms::load_efficiencies());
  EXPECT_LT(ratios.throughput, 100);
  EXPECT_GT(ratios.energy, 1e-3);
}

TEST(Ratios, NameOfTheNetworkIsChecked) {
  Computer board = fitted();
  board.ratios->network = "densnet121";
  try {
    fit_ratios(board, platforms::load_efficiencies());
    FAIL();
  } catch (const platforms::InputError& error) {
    EXPECT_STREQ(error.what(),
                 "jetson-xavier-nx-fitted: ratios.network: there is no network \"densnet121\"; did you "
                 "mean \"densenet121\"? `spillway list models` shows all");
  }
}

}  // namespace
}  // namespace spillway::cost
