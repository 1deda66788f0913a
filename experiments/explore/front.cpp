#include "experiments/explore/front.hpp"

#include <algorithm>
#include <numeric>

#include <pagmo/utils/hypervolume.hpp>
#include <pagmo/utils/multi_objective.hpp>

namespace spillway::explore {

std::vector<std::string> objective_names() {
  return {"throughput", "energy", "memory", "latency"};
}

std::vector<double> costs_of(const Worth& worth, std::span<const Objective> objectives) {
  std::vector<double> costs;
  for (const Objective objective : objectives) {
    switch (objective) {
      case Objective::throughput:
        costs.push_back(-worth.throughput_per_s);
        break;
      case Objective::energy:
        costs.push_back(worth.energy_j);
        break;
      case Objective::memory:
        costs.push_back(worth.memory_bytes);
        break;
      case Objective::latency:
        costs.push_back(worth.latency_s);
        break;
    }
  }
  return costs;
}

std::vector<std::size_t> non_dominated(const std::vector<std::vector<double>>& costs) {
  std::vector<std::size_t> order(costs.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  // Whoever dominates a point stands before it.
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return costs[a] < costs[b]; });
  std::vector<std::size_t> front;
  for (const std::size_t candidate : order) {
    const bool beaten = std::ranges::any_of(front, [&](std::size_t member) {
      return costs[member] == costs[candidate] || pagmo::pareto_dominance(costs[member], costs[candidate]);
    });
    if (!beaten) front.push_back(candidate);
  }
  return front;
}

double hypervolume(const std::vector<std::vector<double>>& costs, const std::vector<double>& reference) {
  std::vector<std::vector<double>> inside;
  for (const std::size_t member : non_dominated(costs)) {
    const std::vector<double>& point = costs[member];
    if (std::ranges::equal(point, reference, std::ranges::less{})) inside.push_back(point);
  }
  return inside.empty() ? 0 : pagmo::hypervolume(inside, false).compute(reference);
}

}  // namespace spillway::explore
