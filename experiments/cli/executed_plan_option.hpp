#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/plan_options.hpp"
#include "experiments/cli/request.hpp"

namespace spillway::cli {

/// The options that name a plan that a machine carries out: the network as `run` and `firmware` take it, and how it is
/// cut.
struct ExecutedPlanOption {
  PlanOptions plan;
  std::string frames = "1";
  std::optional<std::string> window;  ///< nothing: all frames

  ExecutedPlanOption();

  /// Adds NETWORK and the options, --board among them where `with_board`; the object must outlive the parsing.
  void add_to(CLI::App& verb, bool with_board);
};

/// Reads and checks them: a file of `spillway quantize`, another .onnx file or a network of the zoo. Notes every
/// mistake in `request`.
PlanRequest read(const ExecutedPlanOption& options, Request& request);

}  // namespace spillway::cli
