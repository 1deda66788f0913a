#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "hw/mpi/deployment.hpp"
#include "hw/mpi/rank_plan.hpp"

namespace spillway::mpi {

/// The C++17 source of the program that all devices run: one function for each rank, which carries out the rank's
/// schedule. `hash` is the split's (weight_files.hpp).
std::string program_text(const Deployment& deployment, const std::vector<RankPlan>& plans, std::uint64_t hash);

}  // namespace spillway::mpi
