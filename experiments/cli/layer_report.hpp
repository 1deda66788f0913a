#pragma once

#include <vector>

#include "platforms/computer.hpp"
#include "sim/cost/layer_times.hpp"

namespace spillway::cli {

/// Prints what was fitted to the layers of a computer, and each network's time beside the predicted one.
void print_layer_fit(const platforms::Computer& computer, const std::vector<cost::LayerTime>& times);

}  // namespace spillway::cli
