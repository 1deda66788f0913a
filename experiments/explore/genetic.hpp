#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "experiments/explore/space.hpp"

namespace spillway::explore {

/// Costs of each of some genes, all to be made small.
using BatchCosts = std::function<std::vector<std::vector<double>>(const std::vector<Genes>&)>;

/// Individuals and their costs, in the same order.
struct Population {
  std::vector<Genes> genes;
  std::vector<std::vector<double>> costs;
};

struct GeneticOptions {
  double crossover = 0.5;
  double mutation = 0.1;
  std::uint32_t seed = 1;
};

/// One generation of pagmo's NSGA-II: two-point crossover, uniform mutation, selection by rank and crowding. `highest`
/// by gene; the number of individuals must be a multiple of 4, at least 8. What `costs` throws comes through.
Population next_generation(const Population& population, const std::vector<int>& highest, const BatchCosts& costs,
                           const GeneticOptions& options);

}  // namespace spillway::explore
