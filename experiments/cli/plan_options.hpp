#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

#include "experiments/cli/network_option.hpp"
#include "experiments/cli/request.hpp"
#include "models/network.hpp"
#include "platforms/board.hpp"
#include "platforms/card.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::cli {

/// The options that say what is cut for which board, the same for every verb that makes a plan.
struct PlanOptions {
  NetworkOption network;
  std::string board = "swapnn-paper";
  std::optional<std::string> card;  ///< nothing: the board's usual one
  std::optional<std::string> sram;  ///< nothing: all that the board has
  std::optional<std::string> buffer;
  std::string rule = "paper";
  std::optional<std::string> element;  ///< nothing: the file's own where the rule heeds it, else int8

  /// Adds NETWORK and the options but --buffer to a verb; the object must outlive the parsing.
  void add_to(CLI::App& verb);
};

/// What the options ask for, read and checked against each other.
struct PlanRequest {
  std::optional<models::Network> network;
  std::optional<platforms::Board> board;
  std::optional<platforms::Card> card;
  std::string card_name;  ///< as it was asked for, or of the board's usual card
  tiling::Request tiling;
};

/// Loads what is to be swapped: a file of `spillway quantize` as its int8 network, another .onnx file, or a network of
/// the zoo. Notes every mistake in `request`.
std::optional<models::LoadedNetwork> read_swapped(const NetworkOption& option, Request& request);

/// Notes every mistake in `request`; the result is complete when there was none.
PlanRequest read(const PlanOptions& options, Request& request);

/// The same for a network that has been loaded, or could not be.
PlanRequest read(const PlanOptions& options, const std::optional<models::LoadedNetwork>& loaded, Request& request);

/// tiling::make_plan, where a request that no plan can be made for by its numbers alone is an InputError, too.
tiling::SwapPlan plan_for(const models::Network& network, const tiling::Request& request);

}  // namespace spillway::cli
