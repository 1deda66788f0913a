#pragma once

#include <optional>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "experiments/cli/executed_plan_option.hpp"

namespace spillway::cli {

/// The options of `calibrate --trace`.
struct TraceCalibrationOptions {
  std::string trace;
  std::optional<std::string> clock, write_board, write_card;
  std::vector<std::string> held_out;  ///< names of layers; none: usual_hold_out
  ExecutedPlanOption plan;

  /// Adds all but --board; the object must outlive the parsing.
  void add_to(CLI::App& verb);

  /// Whether an option was given that only --trace needs.
  bool asks_for_more() const;
};

/// Fits a board and a card to a trace, and shows the errors before and after. Throws platforms::InputError.
void calibrate_trace(const CLI::App& verb, const TraceCalibrationOptions& options);

}  // namespace spillway::cli
