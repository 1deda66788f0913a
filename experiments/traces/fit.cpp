#include "experiments/traces/fit.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <map>
#include <optional>
#include <span>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "sim/core/geometry.hpp"
#include "sim/cost/nonnegative.hpp"
#include "sim/cost/rounding.hpp"

namespace spillway::traces {
namespace {

/// Seconds, and what they are made of.
struct Equation {
  std::vector<double> terms;
  double seconds = 0;
};

/// The coefficients, none negative. Columns without a number stay 0.
std::vector<double> solve(const std::vector<Equation>& equations) {
  const auto rows = static_cast<Eigen::Index>(equations.size());
  const auto columns = static_cast<Eigen::Index>(equations.front().terms.size());
  Eigen::MatrixXd a(rows, columns);
  Eigen::VectorXd b(rows);
  for (Eigen::Index row = 0; row < rows; ++row) {
    const Equation& equation = equations[static_cast<std::size_t>(row)];
    // Below 100 ns the clock of the trace is the error.
    const double weight = 1 / std::sqrt(std::max(equation.seconds, 1e-7));
    for (Eigen::Index column = 0; column < columns; ++column)
      a(row, column) = weight * equation.terms[static_cast<std::size_t>(column)];
    b(row) = weight * equation.seconds;
  }
  // Columns of one length: the solver compares gradients.
  Eigen::VectorXd lengths = a.colwise().norm();
  for (Eigen::Index column = 0; column < columns; ++column) {
    if (lengths(column) == 0) lengths(column) = 1;
    a.col(column) /= lengths(column);
  }
  const Eigen::VectorXd x = cost::nonnegative_least_squares(a, b).cwiseQuotient(lengths);
  return {x.begin(), x.end()};
}

void set(platforms::Figure& figure, double value, const std::string& source) {
  figure = {cost::rounded(value), source, false};
}

/// A rate from seconds for one. Where no time is left for it beyond the overhead, the largest task gets 10 ns, the
/// unit of simulated time.
void set_rate(platforms::Figure& figure, double seconds_for_one, double largest, const std::string& source) {
  constexpr double least_s = 1e-8;
  if (seconds_for_one * largest >= least_s)
    set(figure, 1 / seconds_for_one, source);
  else
    set(figure, largest / least_s, source + "; no time beyond the overhead");
}

/// Whether all amounts are the same: then a line through them is not determined.
bool one_amount(const std::vector<Equation>& equations) {
  return std::ranges::all_of(equations,
                             [&](const Equation& each) { return each.terms[1] == equations.front().terms[1]; });
}

void fit_card(const std::vector<Equation>& equations, std::string_view what, platforms::Figure& overhead,
              platforms::Figure& bandwidth, const std::string& origin) {
  if (equations.empty()) return;
  const std::string source = fmt::format("least squares over {} {}; {}", equations.size(), what, origin);
  if (one_amount(equations)) {
    // The bandwidth is kept, and the rest is overhead.
    double rest = 0;
    for (const Equation& each : equations)
      rest += each.seconds / static_cast<double>(equations.size());
    set(overhead, std::max(0.0, rest - equations.front().terms[1] / bandwidth.value),
        source + "; all of one size: the bandwidth was kept");
    return;
  }
  const std::vector<double> fitted = solve(equations);
  double largest = 0;
  for (const Equation& each : equations)
    largest = std::max(largest, each.terms[1]);
  set(overhead, fitted[0], source);
  set_rate(bandwidth, fitted[1], largest, source);
}

constexpr std::size_t classes = platforms::work_class_names.size();
constexpr std::size_t contention_term = 1 + classes;

void fit_board(std::vector<Equation> equations, platforms::Board& board, const std::string& origin) {
  if (equations.empty()) return;
  const std::string source = fmt::format("least squares over {} compute tasks; {}", equations.size(), origin);
  std::vector<double> fitted = solve(equations);
  constexpr double most_contention = 0.95;
  if (fitted[contention_term] > most_contention) {
    for (Equation& each : equations) {
      each.seconds -= most_contention * each.terms[contention_term];
      each.terms[contention_term] = 0;
      each.seconds = std::max(each.seconds, 0.0);
    }
    fitted = solve(equations);
    fitted[contention_term] = most_contention;
  }
  set(board.compute_overhead, fitted[0], source);
  for (std::size_t work_class = 0; work_class < classes; ++work_class) {
    double largest = 0;
    for (const Equation& each : equations)
      largest = std::max(largest, each.terms[1 + work_class]);
    if (largest > 0) set_rate(board.rates[work_class], fitted[1 + work_class], largest, source);
  }
  const bool overlapped =
      std::ranges::any_of(equations, [](const Equation& each) { return each.terms[contention_term] > 0; });
  // The simulators take thousandths.
  if (overlapped) set(board.contention, std::round(fitted[contention_term] * 1000) / 1000, source);
}

}  // namespace

std::vector<bool> usual_hold_out(const core::Plan& plan) {
  std::vector<bool> held_out(plan.layers.size());
  std::array<std::size_t, classes> seen{};
  for (std::size_t row = 0; row < plan.layers.size(); ++row)
    held_out[row] = seen[static_cast<std::size_t>(plan.layers[row].work_class)]++ % 3 == 1;
  return held_out;
}

Figures fit_figures(const core::Plan& plan, const Replay& replay, const std::vector<bool>& held_out, Figures before,
                    const std::string& origin) {
  std::vector<Equation> reads, writes, computes;
  for (const ServedTask& served : replay.tasks) {
    const core::Task& task = served.record.task;
    if (held_out[task.layer]) continue;
    const double seconds = static_cast<double>(served.service_ns()) * 1e-9;
    if (core::is_io(task.kind)) {
      (task.kind == core::TaskKind::write_output ? writes : reads)
          .push_back({{1, static_cast<double>(served.record.bytes)}, seconds});
      continue;
    }
    Equation compute{std::vector<double>(contention_term + 1), seconds};
    compute.terms[0] = 1;
    compute.terms[1 + static_cast<std::size_t>(plan.layers[task.layer].work_class)] =
        static_cast<double>(core::work_of(plan, task));
    compute.terms[contention_term] = static_cast<double>(served.overlap_ns) * 1e-9;
    computes.push_back(std::move(compute));
  }
  Figures after = std::move(before);
  fit_card(reads, "reads", after.card.read_overhead, after.card.read_bandwidth, origin);
  fit_card(writes, "writes", after.card.write_overhead, after.card.write_bandwidth, origin);
  fit_board(std::move(computes), after.board, origin);
  after.card.full_buffers = false;
  after.card.measured = {};  // another card's
  return after;
}

}  // namespace spillway::traces
