#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "experiments/explore/evaluator.hpp"

namespace spillway::explore {

/// What a search is after. Throughput is to be high, the others low.
enum class Objective : std::uint8_t { throughput, energy, memory, latency };

/// `throughput`, ...
std::vector<std::string> objective_names();

/// The numbers to be made small, in the order of the objectives: throughput with its sign turned.
std::vector<double> costs_of(const Worth& worth, std::span<const Objective> objectives);

/// Positions of the points that no other one is better than: none is at least as good everywhere and better somewhere.
/// Of equal points the first. Sorted by the first cost.
std::vector<std::size_t> non_dominated(const std::vector<std::vector<double>>& costs);

/// The volume between the points and the reference that at least one point dominates; what is not better than the
/// reference everywhere counts nothing.
double hypervolume(const std::vector<std::vector<double>>& costs, const std::vector<double>& reference);

}  // namespace spillway::explore
