#pragma once

#include <optional>
#include <string>

#include "experiments/cli/request.hpp"
#include "sim/pipeline/machine_of.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::cli {

/// What `spillway pipeline --smpi` is asked for.
struct SmpiInputs {
  std::string folder;               ///< made by `spillway split`
  std::string platform;             ///< the cluster, as the user named it
  std::optional<std::string> json;  ///< where the result is written as well
  std::string command;              ///< the call, for the record
};

/// Compiles the program of a split with the charged library, runs it under smpirun on the cluster and prints its rates
/// beside those of SimGrid's driver for the same mapping. `options` say how both run it. Notes in `request`, and throws
/// what it throws: no smpicxx, no such folder, one that is no split or not of this version, a cluster (nothing where it
/// is noted to be wrong) without the split's devices. Throws std::runtime_error: compiler or run failed.
void run_smpi(const SmpiInputs& inputs, const std::optional<pipeline::ClusterModel>& cluster, pipeline::Options options,
              Request& request);

}  // namespace spillway::cli
