#pragma once

#include <cstdint>
#include <optional>

#include "models/quantized/quantized_network.hpp"

namespace spillway::quantized {

/// A random network (tests/sim/tiling/random_network.hpp) with seeded weights and random ranges, as int8; nothing where
/// int8 cannot do it.
std::optional<QuantizedNetwork> random_quantized(std::uint32_t seed);

}  // namespace spillway::quantized
