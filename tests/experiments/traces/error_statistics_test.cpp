#include "experiments/traces/error_statistics.hpp"

#include <vector>

#include <gtest/gtest.h>

namespace spillway::traces {
namespace {

TEST(ErrorStatistics, CountedByHand) {
  const std::vector<Compared> numbers = {{11, 10}, {18, 20}, {30, 30}, {5, 0}};
  const ErrorStatistics statistics = statistics_of(numbers);
  EXPECT_EQ(statistics.count, 4u);
  EXPECT_EQ(statistics.unmeasured, 1u);
  EXPECT_NEAR(*statistics.of_sums, 64.0 / 60 - 1, 1e-12);
  EXPECT_NEAR(*statistics.mean, 0, 1e-12);
  EXPECT_NEAR(*statistics.mean_absolute, 0.2 / 3, 1e-12);
}

TEST(ErrorStatistics, Correlation) {
  EXPECT_NEAR(*statistics_of(std::vector<Compared>{{1, 3}, {2, 5}, {3, 7}}).correlation, 1, 1e-12);
  EXPECT_NEAR(*statistics_of(std::vector<Compared>{{3, 3}, {2, 5}, {1, 7}}).correlation, -1, 1e-12);
  EXPECT_NEAR(*statistics_of(std::vector<Compared>{{1, 1}, {2, 3}, {3, 2}}).correlation, 0.5, 1e-12);
}

TEST(ErrorStatistics, WhatHasNoneIsEmpty) {
  EXPECT_FALSE(statistics_of({}).of_sums);
  EXPECT_FALSE(statistics_of({}).mean_absolute);
  EXPECT_FALSE(statistics_of(std::vector<Compared>{{1, 2}}).correlation);
  // Constant, however its mean is rounded.
  EXPECT_FALSE(statistics_of(std::vector<Compared>{{0.1, 1}, {0.1, 2}, {0.1, 3}}).correlation);
  EXPECT_FALSE(statistics_of(std::vector<Compared>{{5, 0}}).mean);
}

}  // namespace
}  // namespace spillway::traces
