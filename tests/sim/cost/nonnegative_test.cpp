#include "sim/cost/nonnegative.hpp"

#include <random>

#include <gtest/gtest.h>

namespace spillway::cost {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

TEST(NonnegativeLeastSquares, FindsAnExactSolution) {
  MatrixXd a(3, 2);
  a << 1, 0, 0, 2, 1, 1;
  const VectorXd x = nonnegative_least_squares(a, a * Eigen::Vector2d(3, 0.5));
  EXPECT_NEAR(x(0), 3, 1e-12);
  EXPECT_NEAR(x(1), 0.5, 1e-12);
}

TEST(NonnegativeLeastSquares, KeepsWhatWouldBecomeNegativeAtZero) {
  MatrixXd a(2, 2);
  a << 1, 1, 0, 1;
  const VectorXd x = nonnegative_least_squares(a, Eigen::Vector2d(2, -1));
  EXPECT_NEAR(x(0), 2, 1e-12);
  EXPECT_EQ(x(1), 0);
  EXPECT_EQ(nonnegative_least_squares(a, Eigen::Vector2d(-1, -1)), Eigen::Vector2d(0, 0));
}

// The conditions of Karush, Kuhn and Tucker: no step that stays non-negative makes the residual smaller.
TEST(NonnegativeLeastSquares, IsOptimalOnRandomProblems) {
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int problem = 0; problem < 2000; ++problem) {
    const Eigen::Index columns = 1 + problem % 7, rows = columns + problem % 5;
    MatrixXd a(rows, columns);
    VectorXd b(rows);
    for (Eigen::Index row = 0; row < rows; ++row) {
      b(row) = normal(random);
      for (Eigen::Index column = 0; column < columns; ++column)
        a(row, column) = normal(random);
    }
    const VectorXd x = nonnegative_least_squares(a, b), gradient = a.transpose() * (b - a * x);
    for (Eigen::Index column = 0; column < columns; ++column) {
      ASSERT_GE(x(column), 0);
      ASSERT_LE(gradient(column), 1e-9);
      if (x(column) > 0) {
        ASSERT_NEAR(gradient(column), 0, 1e-9);
      }
    }
  }
}

}  // namespace
}  // namespace spillway::cost
