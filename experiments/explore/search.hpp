#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "experiments/explore/evaluator.hpp"
#include "experiments/explore/front.hpp"
#include "experiments/explore/space.hpp"

namespace spillway::explore {

/// What a search is asked for. Defaults are AutoDiCE's (section IV-B).
struct SearchOptions {
  std::size_t individuals = 100;  ///< a multiple of 4
  std::size_t generations = 400;
  double crossover = 0.5;  ///< probability for each pair
  double mutation = 0.1;   ///< probability for each gene
  std::uint32_t seed = 1;
  std::vector<Objective> objectives = {Objective::throughput, Objective::energy, Objective::memory};
  /// Limits; what exceeds one is worse than everything that does not, and no member of a front.
  double most_energy_j = 0, most_memory_bytes = 0;  ///< 0: none
  unsigned jobs = 1;
};

/// A mapping that was evaluated.
struct Evaluated {
  Mapping mapping;
  Worth worth;
  std::size_t generation = 0;  ///< when it first came up; 0: the first population
};

/// Everything that a search needs to go on: kept after each generation.
struct SearchState {
  std::size_t generation = 0;  ///< done
  std::vector<Genes> population;
};

/// Judges mappings of a space.
using Judge = std::function<Worth(const Mapping&)>;

/// Where evaluations go: what genes, repaired, are worth, in their order.
using Evaluations = std::function<std::vector<Worth>(const std::vector<Genes>&)>;

/// NSGA-II (pagmo's) over the mappings of a space. Each generation's random numbers follow from the seed and its number
/// alone, so that a search that was ended goes on as if it had not been.
class Search {
 public:
  /// The space must outlive the search, and what `evaluations` refers to. `seeds` come into the first population,
  /// before random ones.
  Search(const Space& space, Evaluations evaluations, SearchOptions options, const std::vector<Mapping>& seeds);

  /// Evaluates in as many forked processes as there are jobs.
  Search(const Space& space, Judge judge, const SearchOptions& options, const std::vector<Mapping>& seeds);

  /// Goes on from a state and what was evaluated until then, in its order.
  void resume(const SearchState& state, const std::vector<Evaluated>& archive);

  /// Makes the first population, or one generation. False when all are done.
  bool step();

  SearchState state() const;
  /// All mappings evaluated, each once, in the order of their first evaluation.
  const std::vector<Evaluated>& archive() const { return archive_; }
  /// Positions in the archive; limits are kept.
  std::vector<std::size_t> front() const;
  /// Costs that bound the volume: no throughput, half more energy and memory (and latency) than the worst of the seeds
  /// has. Fixed by the first population.
  const std::vector<double>& reference() const { return reference_; }
  double volume() const;
  const SearchOptions& options() const { return options_; }

 private:
  std::vector<Genes> first_population() const;
  std::vector<std::vector<double>> evaluate(const std::vector<Genes>& batch);
  std::vector<double> penalised(const Worth& worth) const;
  bool within_limits(const Worth& worth) const;
  void set_reference();

  const Space& space_;
  SearchOptions options_;
  std::vector<Mapping> seeds_;
  Evaluations evaluations_;
  bool started_ = false;
  std::size_t generation_ = 0;
  std::vector<Genes> population_;
  std::vector<std::vector<double>> fitness_;
  std::vector<Evaluated> archive_;
  std::map<std::string, std::size_t> known_;  ///< mapping as a line: position in the archive
  std::vector<double> reference_;
};

/// Mappings to begin with: each resource kind on one device alone, and for 2 to all devices cuts that balance the time
/// of one kind's resources.
std::vector<Mapping> seed_mappings(const Space& space, Evaluator& evaluator);

}  // namespace spillway::explore
