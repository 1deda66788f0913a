#pragma once

#include <string>
#include <vector>

#include "experiments/cli/request.hpp"
#include "sim/cost/layer_times.hpp"

namespace spillway::cli {

/// Reads the file that `spillway measure --layers` wrote. Notes every mistake of it in `request`; nothing where there
/// was one.
std::vector<cost::LayerTime> read_layer_times(const std::string& option, const std::string& path, Request& request);

}  // namespace spillway::cli
