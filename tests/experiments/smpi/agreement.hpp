#pragma once

#include <filesystem>

#include "mapped_network.hpp"

#include "experiments/smpi/charged_program.hpp"
#include "sim/pipeline/result.hpp"

namespace spillway::smpi {

/// A mapping under SimGrid's driver of activities and, its generated program itself, under smpirun.
struct Agreement {
  pipeline::Run simulated, charged;

  /// Of the second makespan, relative to the first.
  double error() const {
    return static_cast<double>(charged.makespan_ns) / static_cast<double>(simulated.makespan_ns) - 1;
  }
};

/// Runs it in both ways; the folder, which is the library's, keeps the program.
Agreement agreement_on(const MappedNetwork& network, const pipeline::ClusterModel& cluster,
                       const ChargedLibrary& library, const ChargedOptions& options,
                       const std::filesystem::path& folder);

}  // namespace spillway::smpi
