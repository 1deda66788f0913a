#include "experiments/cli/largest.hpp"

#include <algorithm>
#include <numeric>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::cli {

std::string largest_text(std::span<const float> numbers, std::size_t top) {
  std::vector<std::size_t> order(numbers.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  const std::size_t shown = std::min(top, order.size());
  std::ranges::partial_sort(
      order, order.begin() + static_cast<std::ptrdiff_t>(shown),
      [&](std::size_t a, std::size_t b) { return numbers[a] != numbers[b] ? numbers[a] > numbers[b] : a < b; });
  std::vector<std::string> entries;
  for (std::size_t i = 0; i < shown; ++i)
    entries.push_back(fmt::format("{}: {:.6g}", order[i], numbers[order[i]]));
  return fmt::format("{}", fmt::join(entries, "  "));
}

}  // namespace spillway::cli
