#pragma once

#include <filesystem>
#include <random>
#include <string>

#include "experiments/smpi/charged_program.hpp"
#include "hw/mpi/deployment.hpp"
#include "models/network.hpp"
#include "platforms/efficiencies.hpp"
#include "sim/pipeline/machine_of.hpp"

namespace spillway::smpi {

/// A split under SimGrid's driver of activities and, its generated program itself, under smpirun.
struct ChargedRun {
  std::string mapping;  ///< what it was, to find it again
  pipeline::Run simulated, charged;

  /// Of the second makespan, relative to the first.
  double error() const {
    return static_cast<double>(charged.makespan_ns) / static_cast<double>(simulated.makespan_ns) - 1;
  }
};

/// How the layers of a random mapping lie on its ranks.
enum class Shape {
  contiguous,  ///< runs of layers
  scattered,   ///< any layer on any rank
};

/// Runs random mappings on one cluster.
class ChargedRuns {
 public:
  /// Compiles the charged library into the folder.
  explicit ChargedRuns(const std::filesystem::path& folder, const std::string& cluster = "jetson-xavier-nx8");

  /// A mapping of a network of the zoo to that many ranks, each a GPU or some cores of its own; with two ranks or more
  /// one is a GPU. `options` say how both run it.
  ChargedRun operator()(const std::string& network, std::size_t ranks, Shape shape, const ChargedOptions& options,
                        std::mt19937& random);

 private:
  std::filesystem::path folder_;
  ChargedLibrary library_;
  pipeline::ClusterModel cluster_;
  platforms::Efficiencies efficiencies_;
};

}  // namespace spillway::smpi
