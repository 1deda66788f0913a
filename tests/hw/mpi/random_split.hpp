#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "hw/mpi/deployment.hpp"

/// Random mappings of random networks and of the zoo at small input sizes.
namespace spillway::mpi {

/// A network whose input has another height and width; poolings of whole maps stay such.
models::Network resized(const models::Network& network, std::int64_t height, std::int64_t width);

/// The case of that number, the same on every machine: numbers below `small_cases` have small networks, and of each
/// fifteen one has up to 24 ranks, the others up to 8. Number 1 is no random one but the example of AutoDiCE's Figure
/// 2, whose sub-models need each other's results, with a core in the place of its GPU.
mpi::Deployment random_deployment(std::size_t number);
inline constexpr std::size_t small_cases = 30;

/// Whether the case has more than 8 ranks.
bool is_large(std::size_t number);

/// Pseudo-random numbers from -1 to 1.
std::vector<float> random_numbers(std::size_t count, std::uint64_t seed);

}  // namespace spillway::mpi
