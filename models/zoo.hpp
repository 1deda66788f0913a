#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "models/network.hpp"

/// Well-known networks, built in code.
namespace spillway::models {

/// Names of all networks, sorted.
std::vector<std::string_view> zoo_names();

/// The network of that name; empty when there is none.
std::optional<Network> zoo(std::string_view name);

/// One line on what the network is and where it differs from its relatives; empty when there is none of that name.
std::optional<std::string_view> zoo_description(std::string_view name);

}  // namespace spillway::models
