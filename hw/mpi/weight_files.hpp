#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "hw/mpi/deployment.hpp"
#include "hw/mpi/rank_plan.hpp"

namespace spillway::mpi {

/// Writes the numbers of each rank to `FOLDER/KEY.weights` (runtime/weight_file.hpp) and returns the hash of the split:
/// of its program and all of its numbers. Throws std::system_error.
std::uint64_t write_weight_files(const Deployment& deployment, const std::vector<RankPlan>& plans,
                                 const std::filesystem::path& folder);

}  // namespace spillway::mpi
