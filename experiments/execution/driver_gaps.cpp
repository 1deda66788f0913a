#include "experiments/execution/driver_gaps.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <utility>
#include <vector>

#include "sim/core/task.hpp"

namespace spillway::experiments {
namespace {

double median_us(std::vector<std::uint64_t> nanoseconds) {
  if (nanoseconds.empty()) return 0;
  const auto middle = nanoseconds.begin() + static_cast<std::ptrdiff_t>(nanoseconds.size() / 2);
  std::ranges::nth_element(nanoseconds, middle);
  return static_cast<double>(*middle) / 1e3;
}

}  // namespace

Gap gap_of(std::span<const trace::Record> records, bool io) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> own;
  std::vector<std::uint64_t> elsewhere;
  for (const trace::Record& record : records) {
    if (core::is_io(record.task.kind) == io)
      own.emplace_back(record.start_ns, record.end_ns);
    else
      elsewhere.push_back(record.end_ns);
  }
  std::ranges::sort(own);
  std::ranges::sort(elsewhere);

  std::vector<std::uint64_t> next, wake;
  for (std::size_t i = 1; i < own.size(); ++i) {
    const std::uint64_t begin = own[i].first, idle_since = own[i - 1].second;
    if (begin < idle_since) continue;
    const auto after = std::ranges::upper_bound(elsewhere, begin);
    const std::uint64_t cause = after == elsewhere.begin() ? 0 : *std::prev(after);
    if (cause > idle_since)
      wake.push_back(begin - cause);
    else
      next.push_back(begin - idle_since);
  }
  return {median_us(std::move(next)), median_us(std::move(wake))};
}

}  // namespace spillway::experiments
