#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/network_option.hpp"
#include "experiments/cli/request.hpp"
#include "hw/mpi/deployment.hpp"

namespace spillway::cli {

/// The arguments and options that say what is split and how.
struct SplitInputs {
  NetworkOption network;
  std::string mapping, platform, vertical;
  std::string seed = "1";
  bool oversubscribe = false;
  bool weights = true;  ///< read or make them; a simulation needs none

  /// Adds NETWORK, --dim, --mapping, --platform, --vertical, --oversubscribe and, where weights are
  /// read, --seed to a verb; the object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// Reads model, platform and mapping and splits. Notes every mistake of one of them in `request`; empty when there was
/// one.
std::optional<mpi::Deployment> read(const SplitInputs& inputs, Request& request);

/// The mapping as a file: keys in the unambiguous form where they were made up.
std::string mapping_text(const mpi::Deployment& deployment);

/// The devices as a platform file.
std::string platform_text(const mpi::Deployment& deployment);

}  // namespace spillway::cli
