#include "experiments/traces/error_statistics.hpp"

#include <cmath>

namespace spillway::traces {
namespace {

std::optional<double> correlation_of(std::span<const Compared> numbers) {
  const auto count = static_cast<double>(numbers.size());
  double simulated_mean = 0, measured_mean = 0;
  for (const Compared& each : numbers) {
    simulated_mean += each.simulated / count;
    measured_mean += each.measured / count;
  }
  double both = 0, simulated = 0, measured = 0;
  for (const Compared& each : numbers) {
    const double a = each.simulated - simulated_mean, b = each.measured - measured_mean;
    both += a * b;
    simulated += a * a;
    measured += b * b;
  }
  // A constant's deviations are rounding errors of its mean.
  const auto constant = [&](double squares, double mean) { return squares <= 1e-24 * mean * mean * count; };
  if (numbers.size() < 2 || constant(simulated, simulated_mean) || constant(measured, measured_mean))
    return std::nullopt;
  return both / std::sqrt(simulated * measured);
}

}  // namespace

std::optional<double> Compared::relative_error() const {
  return measured == 0 ? std::nullopt : std::optional(simulated / measured - 1);
}

ErrorStatistics statistics_of(std::span<const Compared> numbers) {
  ErrorStatistics result;
  result.count = numbers.size();
  Compared sums;
  double signed_sum = 0, absolute_sum = 0;
  for (const Compared& each : numbers) {
    sums.simulated += each.simulated;
    sums.measured += each.measured;
    const std::optional<double> error = each.relative_error();
    if (!error) {
      ++result.unmeasured;
      continue;
    }
    signed_sum += *error;
    absolute_sum += std::abs(*error);
  }
  result.of_sums = sums.relative_error();
  if (const std::size_t measured = result.count - result.unmeasured; measured > 0) {
    result.mean = signed_sum / static_cast<double>(measured);
    result.mean_absolute = absolute_sum / static_cast<double>(measured);
  }
  result.correlation = correlation_of(numbers);
  return result;
}

}  // namespace spillway::traces
