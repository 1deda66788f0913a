#pragma once

#include <cstddef>
#include <filesystem>
#include <random>
#include <string>
#include <vector>

#include "hw/mpi/deployment.hpp"
#include "platforms/efficiencies.hpp"
#include "sim/pipeline/machine_of.hpp"

namespace spillway::smpi {

/// How the layers of a random mapping lie on its ranks.
enum class Shape {
  contiguous,  ///< runs of layers
  scattered,   ///< any layer on any rank
};

/// A network of the zoo, mapped at random to ranks that have a GPU or some cores of their own; one at least has a GPU.
class MappedNetwork {
 public:
  /// The cluster must outlive the object.
  MappedNetwork(const std::string& network, const pipeline::ClusterModel& cluster, std::size_t ranks, Shape shape,
                std::mt19937& random);
  MappedNetwork(const MappedNetwork&) = delete;
  MappedNetwork& operator=(const MappedNetwork&) = delete;

  /// What it is, to find it again.
  std::string text() const;
  const mpi::Deployment& deployment() const { return deployment_; }
  const std::vector<pipeline::Placement>& placements() const { return placements_; }
  /// As the simulator runs it, an operation for each layer.
  pipeline::Program simulated(pipeline::Communication communication) const;
  /// The source that `spillway split` writes.
  void write_program(const std::filesystem::path& path) const;

 private:
  const pipeline::ClusterModel& cluster_;
  Shape shape_;
  platforms::Efficiencies efficiencies_;
  mpi::Deployment deployment_;
  pipeline::LayerTimeTables times_;
  std::vector<pipeline::Placement> placements_;
};

}  // namespace spillway::smpi
