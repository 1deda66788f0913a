#pragma once

#include <optional>
#include <string>

#include <CLI/CLI.hpp>

namespace spillway::cli {

/// `calibrate --transfers CARD`: fits a card to its own measured operations and shows the errors, each point's also by
/// the figures that the others give. `write`: where the fitted card goes. Throws platforms::InputError.
void calibrate_card(const CLI::App& verb, const std::string& card, const std::optional<std::string>& write);

}  // namespace spillway::cli
