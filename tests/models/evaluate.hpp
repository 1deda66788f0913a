#pragma once

#include <span>
#include <vector>

#include "models/network.hpp"
#include "models/weights.hpp"

namespace spillway::models {

/// The feature maps of every node for one frame, computed as the operators are defined, in plain loops: the reference
/// for what a file's numbers mean.
std::vector<std::vector<float>> evaluate(const Network& network, const Weights& weights, std::span<const float> input);

}  // namespace spillway::models
