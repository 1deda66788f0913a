#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "models/quantized/quantized_network.hpp"

namespace spillway::int8::test {

/// The int8 maps of every node of a quantised network for one frame, in the order of models, computed as the numbers
/// are defined, in plain loops over 64-bit integers: the reference for whole networks.
std::vector<std::vector<std::int8_t>> evaluate(const quantized::QuantizedNetwork& network,
                                               std::span<const std::int8_t> input);

}  // namespace spillway::int8::test
