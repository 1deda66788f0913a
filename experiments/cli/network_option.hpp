#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/request.hpp"
#include "models/load.hpp"

namespace spillway::cli {

/// The argument and the option that say which network, the same for every verb that takes one.
struct NetworkOption {
  std::string network;
  std::vector<std::string> dimensions;  ///< `NAME=EXTENT`

  /// Adds NETWORK and --dim to a verb; the object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// The extents that --dim gives; notes every mistake in `request`.
models::LoadOptions read_dimensions(const NetworkOption& option, Request& request);

/// Notes what is wrong with a model file.
void note(const models::OnnxError& error, Request& request);

/// Loads the network; notes every mistake in `request`.
std::optional<models::LoadedNetwork> read(const NetworkOption& option, Request& request);

}  // namespace spillway::cli
