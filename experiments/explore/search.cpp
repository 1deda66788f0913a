#include "experiments/explore/search.hpp"

#include <algorithm>
#include <memory>
#include <random>
#include <set>

#include "experiments/explore/genetic.hpp"
#include "experiments/explore/workers.hpp"

namespace spillway::explore {
namespace {

/// Of the random numbers of one generation.
std::uint32_t seed_of(std::uint32_t seed, std::size_t generation) {
  std::seed_seq sequence{seed, static_cast<std::uint32_t>(generation)};
  std::uint32_t value = 0;
  sequence.generate(&value, &value + 1);
  return value;
}

/// Whole numbers from 0 to `highest`, the same with every standard library.
int random_gene(int highest, std::mt19937& random) {
  return static_cast<int>((std::uint64_t{random()} * (static_cast<std::uint64_t>(highest) + 1)) >> 32U);
}

std::vector<int> highest_genes(const Space& space) {
  std::vector<int> highest;
  for (std::size_t gene = 0; gene < space.genes(); ++gene)
    highest.push_back(space.highest(gene));
  return highest;
}

Evaluations forked(unsigned jobs, const Space& space, Judge judge) {
  const auto workers = std::make_shared<Workers>(
      jobs, [&space, judge = std::move(judge)](const Genes& genes) { return judge(space.repaired(genes)); });
  return [workers](const std::vector<Genes>& batch) { return workers->evaluate(batch); };
}

}  // namespace

Search::Search(const Space& space, Evaluations evaluations, SearchOptions options, const std::vector<Mapping>& seeds)
    : space_(space), options_(std::move(options)), seeds_(seeds), evaluations_(std::move(evaluations)) {}

Search::Search(const Space& space, Judge judge, const SearchOptions& options, const std::vector<Mapping>& seeds)
    : Search(space, forked(options.jobs, space, std::move(judge)), options, seeds) {}

void Search::resume(const SearchState& state, const std::vector<Evaluated>& archive) {
  archive_ = archive;
  for (std::size_t i = 0; i < archive_.size(); ++i)
    known_.emplace(space_.describe(archive_[i].mapping), i);
  started_ = true;
  generation_ = state.generation;
  population_ = state.population;
  fitness_ = evaluate(population_);
  set_reference();
}

bool Search::step() {
  if (!started_) {
    population_ = first_population();
    fitness_ = evaluate(population_);
    started_ = true;
    set_reference();
    return true;
  }
  if (generation_ == options_.generations) return false;
  ++generation_;
  const GeneticOptions genetic{options_.crossover, options_.mutation, seed_of(options_.seed, generation_)};
  Population next = next_generation(
      {population_, fitness_}, highest_genes(space_),
      [this](const std::vector<Genes>& batch) { return evaluate(batch); }, genetic);
  population_ = std::move(next.genes);
  fitness_ = std::move(next.costs);
  return true;
}

SearchState Search::state() const {
  return {generation_, population_};
}

std::vector<Genes> Search::first_population() const {
  std::vector<Genes> population;
  for (const Mapping& seed : seeds_)
    if (population.size() < options_.individuals) population.push_back(space_.genes_of(seed));
  std::mt19937 random(seed_of(options_.seed, 0));
  while (population.size() < options_.individuals) {
    Genes genes;
    for (std::size_t gene = 0; gene < space_.genes(); ++gene)
      genes.push_back(random_gene(space_.highest(gene), random));
    population.push_back(std::move(genes));
  }
  return population;
}

/// Costs in the order of the batch. A mapping that came up before is not simulated again.
std::vector<std::vector<double>> Search::evaluate(const std::vector<Genes>& batch) {
  std::vector<std::string> lines;
  std::vector<Mapping> mappings;
  std::vector<Genes> unknown;
  std::set<std::string> asked;
  for (const Genes& genes : batch) {
    mappings.push_back(space_.repaired(genes));
    lines.push_back(space_.describe(mappings.back()));
    if (!known_.contains(lines.back()) && asked.insert(lines.back()).second) unknown.push_back(genes);
  }
  const std::vector<Worth> found = evaluations_(unknown);
  std::size_t next = 0;
  std::vector<std::vector<double>> costs;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const auto [entry, added] = known_.try_emplace(lines[i], archive_.size());
    if (added) archive_.push_back({mappings[i], found[next++], generation_});
    costs.push_back(penalised(archive_[entry->second].worth));
  }
  return costs;
}

bool Search::within_limits(const Worth& worth) const {
  return (options_.most_energy_j == 0 || worth.energy_j <= options_.most_energy_j) &&
         (options_.most_memory_bytes == 0 || worth.memory_bytes <= options_.most_memory_bytes);
}

/// Beyond a limit every cost is worse than any within, and the more so the further beyond.
std::vector<double> Search::penalised(const Worth& worth) const {
  std::vector<double> costs = costs_of(worth, options_.objectives);
  if (within_limits(worth)) return costs;
  constexpr double beyond = 1e30;
  double excess = 1;
  if (options_.most_energy_j > 0) excess += std::max(0.0, worth.energy_j / options_.most_energy_j - 1);
  if (options_.most_memory_bytes > 0) excess += std::max(0.0, worth.memory_bytes / options_.most_memory_bytes - 1);
  std::ranges::fill(costs, beyond * excess);
  return costs;
}

std::vector<std::size_t> Search::front() const {
  std::vector<std::size_t> within;
  std::vector<std::vector<double>> costs;
  for (std::size_t i = 0; i < archive_.size(); ++i) {
    if (!within_limits(archive_[i].worth)) continue;
    within.push_back(i);
    costs.push_back(costs_of(archive_[i].worth, options_.objectives));
  }
  std::vector<std::size_t> front;
  for (const std::size_t member : non_dominated(costs))
    front.push_back(within[member]);
  return front;
}

void Search::set_reference() {
  Worth worst;
  for (const Mapping& seed : seeds_) {
    const auto entry = known_.find(space_.describe(seed));
    if (entry == known_.end()) continue;
    const Worth& worth = archive_[entry->second].worth;
    worst.energy_j = std::max(worst.energy_j, worth.energy_j);
    worst.memory_bytes = std::max(worst.memory_bytes, worth.memory_bytes);
    worst.latency_s = std::max(worst.latency_s, worth.latency_s);
  }
  constexpr double room = 1.5;
  reference_ =
      costs_of({0, room * worst.energy_j, room * worst.memory_bytes, room * worst.latency_s}, options_.objectives);
}

double Search::volume() const {
  std::vector<std::vector<double>> costs;
  for (const std::size_t member : front())
    costs.push_back(costs_of(archive_[member].worth, options_.objectives));
  return hypervolume(costs, reference_);
}

}  // namespace spillway::explore
