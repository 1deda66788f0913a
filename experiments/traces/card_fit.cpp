#include "experiments/traces/card_fit.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include <Eigen/Dense>
#include <fmt/format.h>

#include "sim/cost/nonnegative.hpp"
#include "sim/cost/rounding.hpp"

namespace spillway::traces {
namespace {

using platforms::MeasuredOperation;

struct Line {
  double overhead_s = 0, seconds_per_byte = 0;

  double seconds(std::uint64_t bytes) const { return overhead_s + static_cast<double>(bytes) * seconds_per_byte; }
};

double seconds_of(const MeasuredOperation& operation) {
  return static_cast<double>(operation.size) / operation.rate;
}

/// Through the fitted operations but one; empty where they have fewer than two sizes, or no time for the bytes.
std::optional<Line> fit_line(std::span<const MeasuredOperation> operations, const MeasuredOperation* without) {
  std::vector<const MeasuredOperation*> used;
  for (const MeasuredOperation& each : operations)
    if (each.fitted && &each != without) used.push_back(&each);
  const bool two_sizes = std::ranges::any_of(used, [&](const auto* each) { return each->size != used.front()->size; });
  if (!two_sizes) return std::nullopt;
  Eigen::MatrixXd a(static_cast<Eigen::Index>(used.size()), 2);
  Eigen::VectorXd b(a.rows());
  constexpr double kib = 1024;  // columns of like size
  for (Eigen::Index row = 0; row < a.rows(); ++row) {
    const MeasuredOperation& operation = *used[static_cast<std::size_t>(row)];
    a.row(row) << 1, static_cast<double>(operation.size) / kib;
    b(row) = seconds_of(operation);
  }
  const Eigen::VectorXd x = cost::nonnegative_least_squares(a, b);
  if (x(1) <= 0) return std::nullopt;
  return Line{x(0), x(1) / kib};
}

void fit_direction(std::span<const MeasuredOperation> operations, bool write, platforms::Figure& overhead,
                   platforms::Figure& bandwidth, std::vector<JudgedOperation>& judged) {
  const std::optional<Line> line = fit_line(operations, nullptr);
  if (line) {
    const auto points = std::ranges::count(operations, true, &MeasuredOperation::fitted);
    const std::string source =
        fmt::format("least squares of time per operation over the {} fitted points below", points);
    overhead = {cost::rounded(line->overhead_s), source, false};
    bandwidth = {cost::rounded(1 / line->seconds_per_byte), source, false};
  }
  const Line used = line.value_or(Line{overhead.value, 1 / bandwidth.value});
  for (const MeasuredOperation& each : operations) {
    JudgedOperation operation{write, each, seconds_of(each), used.seconds(each.size), {}};
    if (const std::optional<Line> other = each.fitted ? fit_line(operations, &each) : std::nullopt)
      operation.left_out_s = other->seconds(each.size);
    judged.push_back(operation);
  }
}

}  // namespace

CardFit fit_card(platforms::Card card) {
  CardFit result{std::move(card), {}};
  platforms::Card& fitted = result.card;
  fit_direction(fitted.measured.writes, true, fitted.write_overhead, fitted.write_bandwidth, result.operations);
  fit_direction(fitted.measured.reads, false, fitted.read_overhead, fitted.read_bandwidth, result.operations);
  return result;
}

}  // namespace spillway::traces
