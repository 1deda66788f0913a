#pragma once

#include <Eigen/Dense>

namespace spillway::cost {

/// The x without a negative number that makes |A x - b| smallest: the active-set method of C. Lawson and R. Hanson,
/// Solving least squares problems, 1974, chapter 23. Every column of A that can help must be finite.
Eigen::VectorXd nonnegative_least_squares(const Eigen::MatrixXd& a, const Eigen::VectorXd& b);

}  // namespace spillway::cost
