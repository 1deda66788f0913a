#include "sim/swap/wear.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

namespace spillway::swap {
namespace {

constexpr double seconds_per_day = 86'400;
constexpr double days_per_year = 365;

}  // namespace

Writes writes_of(const Result& result) {
  if (result.stalled || result.makespan_ns == 0 || result.frame_done_ns.empty()) {
    throw std::invalid_argument("a run that did not finish its frames has no writes of a day");
  }
  const auto written = static_cast<double>(result.bytes_written());
  const double makespan_s = static_cast<double>(result.makespan_ns) * 1e-9;
  return {written / static_cast<double>(result.frame_done_ns.size()), written / makespan_s * seconds_per_day};
}

double programmed_per_byte(const Result& result, const platforms::Card& card, Programming programming,
                           std::uint64_t buffer_bytes) {
  const auto written = static_cast<double>(result.bytes_written());
  if (written == 0) return 1;
  const double amplified = card.write_amplification.value;
  if (programming == Programming::amplified) return amplified;
  const double blocks = std::ceil(static_cast<double>(buffer_bytes) / card.erase_block.value);
  const auto operations = static_cast<double>(result.tasks[static_cast<std::size_t>(core::TaskKind::write_output)]);
  return std::max(amplified, operations * blocks * card.erase_block.value / written);
}

Lifetime lifetime_of(double day_bytes, const platforms::Card& card, const platforms::EnduranceTest& test, Units units) {
  const double year_bytes = day_bytes * days_per_year;
  const bool published = units == Units::published;
  const double terabyte = published ? 1.024 : 1;            // of 10^12 bytes
  const double half_cells = published ? 1.024 * 1.024 : 1;  // 1024 / 10^6 TB of 1,024 GB for each GB
  const double cards = card.capacity.value / test.capacity;
  return {test.failures.front().written * terabyte * cards / year_bytes,
          test.failures.back().written * terabyte * cards / year_bytes,
          card.capacity.value * card.endurance.value / 2 * half_cells / year_bytes};
}

double years_of(double day_bytes, const platforms::Card& card, const platforms::CardEndurance& endurance) {
  const double bytes = endurance.cycles ? endurance.cycles->value * card.capacity.value
                                        : endurance.written->value * card.capacity.value / endurance.capacity;
  return bytes / (day_bytes * days_per_year);
}

}  // namespace spillway::swap
