#pragma once

#include <string>
#include <vector>

#include "models/network.hpp"
#include "models/split/schedule.hpp"
#include "models/split/split.hpp"
#include "models/weights.hpp"
#include "platforms/devices.hpp"
#include "platforms/resource.hpp"

namespace spillway::mpi {

/// A split network and the devices that it is for: all that tables, program and packages are made from.
struct Deployment {
  std::string model;  ///< what its messages begin with
  models::Network network;
  models::Weights weights;
  split::Split split;
  split::Schedule schedule;
  std::vector<platforms::Device> devices;
  std::vector<platforms::Resource> resources;  ///< by rank
};

/// Threads of a rank: its cores, or one for a GPU.
int threads_of(const platforms::Resource& resource);

}  // namespace spillway::mpi
