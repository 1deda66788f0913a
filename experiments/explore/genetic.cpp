#include "experiments/explore/genetic.hpp"

#include <utility>

#include <pagmo/algorithm.hpp>
#include <pagmo/algorithms/nsga2.hpp>
#include <pagmo/batch_evaluators/member_bfe.hpp>
#include <pagmo/bfe.hpp>
#include <pagmo/population.hpp>
#include <pagmo/problem.hpp>
#include <pagmo/types.hpp>

namespace spillway::explore {
namespace {

Genes genes_of(const double* begin, std::size_t count) {
  Genes genes;
  for (std::size_t i = 0; i < count; ++i)
    genes.push_back(static_cast<int>(begin[i]));
  return genes;
}

/// What pagmo asks of a problem: integer genes, costs that come in batches.
struct MappingProblem {
  const std::vector<int>* highest = nullptr;
  const BatchCosts* costs = nullptr;
  std::size_t objectives = 0;

  pagmo::vector_double fitness(const pagmo::vector_double& genes) const { return batch_fitness(genes); }

  bool has_batch_fitness() const { return true; }

  pagmo::vector_double batch_fitness(const pagmo::vector_double& all) const {
    std::vector<Genes> batch;
    for (std::size_t begin = 0; begin < all.size(); begin += highest->size())
      batch.push_back(genes_of(all.data() + begin, highest->size()));
    pagmo::vector_double flat;
    for (const std::vector<double>& each : (*costs)(batch))
      flat.insert(flat.end(), each.begin(), each.end());
    return flat;
  }

  pagmo::vector_double::size_type get_nobj() const { return objectives; }
  pagmo::vector_double::size_type get_nix() const { return highest ? highest->size() : 1; }

  std::pair<pagmo::vector_double, pagmo::vector_double> get_bounds() const {
    if (!highest) return {{0}, {1}};
    return {pagmo::vector_double(highest->size(), 0), pagmo::vector_double(highest->begin(), highest->end())};
  }

  /// pagmo wants to be able to store a problem; this one is never stored.
  template <typename Archive>
  void serialize(Archive&, unsigned) {}
};

}  // namespace

Population next_generation(const Population& population, const std::vector<int>& highest, const BatchCosts& costs,
                           const GeneticOptions& options) {
  const pagmo::problem problem(MappingProblem{&highest, &costs, population.costs.front().size()});
  pagmo::population individuals(problem, 0, options.seed);
  for (std::size_t i = 0; i < population.genes.size(); ++i)
    individuals.push_back(pagmo::vector_double(population.genes[i].begin(), population.genes[i].end()),
                          population.costs[i]);
  pagmo::nsga2 generation(1, options.crossover, 10, options.mutation, 50, options.seed);
  generation.set_bfe(pagmo::bfe(pagmo::member_bfe()));
  const pagmo::population next = generation.evolve(std::move(individuals));
  Population result;
  for (const pagmo::vector_double& genes : next.get_x())
    result.genes.push_back(genes_of(genes.data(), genes.size()));
  result.costs = next.get_f();
  return result;
}

}  // namespace spillway::explore
