#pragma once

#include "random_network.hpp"

#include "models/network.hpp"

/// Networks small enough to try every plan of.
namespace spillway::least_traffic {

/// A random chain or residual block of 2 to 4 layers that are swapped: convolutions (grouped, strided, padded, dilated,
/// depthwise), poolings, normalizations across channels, dense layers, sums and concatenations. Maps have at most a few
/// thousand elements, some a row of whole sectors.
models::Network small_network(tiling::Random& random);

}  // namespace spillway::least_traffic
