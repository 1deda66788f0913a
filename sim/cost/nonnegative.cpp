#include "sim/cost/nonnegative.hpp"

#include <vector>

namespace spillway::cost {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// Least squares over the columns that may differ from 0; the others stay 0.
VectorXd solve_free(const MatrixXd& a, const VectorXd& b, const std::vector<bool>& is_free) {
  std::vector<Index> columns;
  for (Index column = 0; column < a.cols(); ++column)
    if (is_free[static_cast<std::size_t>(column)]) columns.push_back(column);
  const VectorXd some = a(Eigen::all, columns).colPivHouseholderQr().solve(b);
  VectorXd x = VectorXd::Zero(a.cols());
  for (std::size_t i = 0; i < columns.size(); ++i)
    x(columns[i]) = some(static_cast<Index>(i));
  return x;
}

/// Goes from x towards `target` as far as no free number becomes negative; those that are 0 then are free no more.
/// Whether the target was reached.
bool advance(VectorXd& x, const VectorXd& target, std::vector<bool>& is_free) {
  double step = 1;
  Index blocking = -1;
  for (Index i = 0; i < x.size(); ++i) {
    if (!is_free[static_cast<std::size_t>(i)] || target(i) > 0) continue;
    const double possible = x(i) > 0 ? x(i) / (x(i) - target(i)) : 0;
    if (blocking >= 0 && possible >= step) continue;
    step = possible;
    blocking = i;
  }
  if (blocking < 0) {
    x = target;
    return true;
  }
  x += step * (target - x);
  x(blocking) = 0;
  is_free[static_cast<std::size_t>(blocking)] = false;
  return false;
}

}  // namespace

VectorXd nonnegative_least_squares(const MatrixXd& a, const VectorXd& b) {
  const Index unknowns = a.cols();
  const double tolerance = 1e-12 * (a.transpose() * b).cwiseAbs().maxCoeff();
  VectorXd x = VectorXd::Zero(unknowns);
  std::vector<bool> is_free(static_cast<std::size_t>(unknowns), false);
  for (Index round = 0; round < 10 * unknowns; ++round) {
    const VectorXd gradient = a.transpose() * (b - a * x);
    Index best = -1;
    for (Index i = 0; i < unknowns; ++i)
      if (!is_free[static_cast<std::size_t>(i)] && gradient(i) > tolerance &&
          (best < 0 || gradient(i) > gradient(best)))
        best = i;
    if (best < 0) break;
    is_free[static_cast<std::size_t>(best)] = true;
    while (!advance(x, solve_free(a, b, is_free), is_free)) {
    }
  }
  return x;
}

}  // namespace spillway::cost
