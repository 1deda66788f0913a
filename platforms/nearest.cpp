#include "platforms/nearest.hpp"

#include <algorithm>
#include <cstddef>
#include <limits>

#include <fmt/format.h>

namespace spillway::platforms {
namespace {

// A name longer than this is no slip of the fingers; the bound keeps the quadratic table small for hostile input.
constexpr std::size_t longest_name = 100;

// What is shorter begins too many names to stand for one of them.
constexpr std::size_t shortest_beginning = 3;

// The case of a letter only decides between names that are otherwise equally near.
constexpr std::size_t edit = 1000;
constexpr std::size_t case_edit = 1;

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

std::size_t substitution_cost(char a, char b) {
  if (a == b) return 0;
  return lower(a) == lower(b) ? case_edit : edit;
}

/// Optimal string alignment distance.
std::size_t distance(std::string_view a, std::string_view b) {
  std::vector<std::vector<std::size_t>> cost(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    cost[i][0] = i * edit;
  for (std::size_t j = 0; j <= b.size(); ++j)
    cost[0][j] = j * edit;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    for (std::size_t j = 1; j <= b.size(); ++j) {
      cost[i][j] = std::min(
          {cost[i - 1][j] + edit, cost[i][j - 1] + edit, cost[i - 1][j - 1] + substitution_cost(a[i - 1], b[j - 1])});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = std::min(cost[i][j], cost[i - 2][j - 2] + edit);
    }
  }
  return cost[a.size()][b.size()];
}

}  // namespace

std::optional<std::string> nearest(std::string_view name, const std::vector<std::string>& candidates) {
  if (name.empty() || name.size() > longest_name) return std::nullopt;
  const std::size_t limit = edit * std::max<std::size_t>(1, name.size() / 3);
  std::optional<std::string> best, best_longer;
  std::size_t best_cost = limit + edit;
  std::size_t best_longer_cost = std::numeric_limits<std::size_t>::max();
  for (const std::string& candidate : candidates) {
    if (candidate.size() > longest_name) continue;
    const std::size_t cost = distance(name, candidate);
    if (name.size() >= shortest_beginning && candidate.starts_with(name) && cost < best_longer_cost) {
      best_longer = candidate;
      best_longer_cost = cost;
    }
    // A name of one or two letters is not near to another one that shares no letter with it.
    if (cost >= edit * std::max(name.size(), candidate.size())) continue;
    if (cost < best_cost) {
      best = candidate;
      best_cost = cost;
    }
  }
  const bool only_case_differs = best_cost < edit;
  return best_longer && !only_case_differs ? best_longer : best;
}

std::string did_you_mean(std::string_view name, const std::vector<std::string>& candidates) {
  const std::optional<std::string> candidate = nearest(name, candidates);
  return candidate ? fmt::format("; did you mean \"{}\"?", *candidate) : std::string();
}

}  // namespace spillway::platforms
