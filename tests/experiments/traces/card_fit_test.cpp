#include "experiments/traces/card_fit.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "platforms/card.hpp"

namespace spillway::traces {
namespace {

platforms::Card card_with(std::vector<platforms::MeasuredOperation> writes) {
  platforms::Card card = platforms::load_card("a1-class");
  card.measured = {"for the test", {}, std::move(writes)};
  return card;
}

/// An operation of a card with that overhead and bandwidth.
platforms::MeasuredOperation operation(std::uint64_t size, double overhead_s, double bandwidth, bool fitted = true) {
  const double seconds = overhead_s + static_cast<double>(size) / bandwidth;
  return {size, static_cast<double>(size) / seconds, fitted};
}

TEST(CardFit, FindsTheLineThatPointsLieOn) {
  const CardFit fit = fit_card(card_with({operation(512, 1e-3, 8e6), operation(4096, 1e-3, 8e6),
                                          operation(32768, 1e-3, 8e6), operation(1024, 9e-3, 1e6, false)}));
  EXPECT_NEAR(fit.card.write_overhead.value, 1e-3, 1e-6);
  EXPECT_NEAR(fit.card.write_bandwidth.value, 8e6, 8e3);
  EXPECT_EQ(fit.card.read_overhead.value, platforms::load_card("a1-class").read_overhead.value) << "not measured";
  ASSERT_EQ(fit.operations.size(), 4u);
  EXPECT_NEAR(*fit.operations[1].left_out_s, fit.operations[1].measured_s, 1e-9);
  EXPECT_FALSE(fit.operations[3].left_out_s) << "an outlier";
  EXPECT_GT(fit.operations[3].measured_s, 5 * fit.operations[3].fitted_s);
}

TEST(CardFit, OneSizeSaysNothing) {
  const CardFit fit = fit_card(card_with({operation(512, 1e-3, 8e6), operation(512, 2e-3, 8e6)}));
  EXPECT_EQ(fit.card.write_overhead.value, platforms::load_card("a1-class").write_overhead.value);
}

// The figures in the files of measured cards are what this fit gives.
TEST(CardFit, CommittedFiguresAreThoseOfTheFit) {
  for (const char* const name : {"f746-disco-measured", "teensy41-measured"}) {
    const platforms::Card card = platforms::load_card(name);
    const platforms::Card fitted = fit_card(card).card;
    const auto same = [](double a, double b) { return std::abs(a / b - 1) < 2e-3; };
    EXPECT_TRUE(same(card.write_overhead.value, fitted.write_overhead.value)) << name;
    EXPECT_TRUE(same(card.write_bandwidth.value, fitted.write_bandwidth.value)) << name;
    EXPECT_TRUE(same(card.read_overhead.value, fitted.read_overhead.value)) << name;
    EXPECT_TRUE(same(card.read_bandwidth.value, fitted.read_bandwidth.value)) << name;
  }
}

TEST(CardFit, AFittedCardIsReadBack) {
  const platforms::Card card = fit_card(platforms::load_card("teensy41-measured")).card;
  const platforms::Card read = platforms::parse_card(to_yaml(card), "teensy41-measured.yaml");
  EXPECT_EQ(to_yaml(read), to_yaml(card));
  EXPECT_EQ(read.write_overhead.value, card.write_overhead.value);
  EXPECT_EQ(read.measured.reads.size(), card.measured.reads.size());
}

}  // namespace
}  // namespace spillway::traces
