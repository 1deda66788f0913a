#pragma once

#include <string>
#include <vector>

#include "models/split/split.hpp"
#include "platforms/devices.hpp"
#include "platforms/resource.hpp"

/// AutoDiCE's communication tables and Open MPI's configuration of a split.
namespace spillway::mpi {

/// sender.json: {"KEY": {"BUFFER": [ranks that it goes to]}}, every key in the order of the ranks.
std::string sender_table(const split::Split& split);

/// receiver.json: {"KEY": {"BUFFER": [rank that it comes from]}}.
std::string receiver_table(const split::Split& split);

/// The cores to which a rank is bound, by rank. A GPU rank's host thread takes the highest core of the device that no
/// other rank has, or its last one.
std::vector<std::vector<int>> bound_cores(const std::vector<platforms::Device>& devices,
                                          const std::vector<platforms::Resource>& resources);

/// Open MPI's rankfile: `rank 0=edge01 slot=1,2,3`.
std::string rankfile(const std::vector<platforms::Device>& devices, const std::vector<platforms::Resource>& resources);

/// Open MPI's hostfile: each device that has a rank, and its cores as slots.
std::string hostfile(const std::vector<platforms::Device>& devices, const std::vector<platforms::Resource>& resources);

}  // namespace spillway::mpi
