#pragma once

#include <cstdint>
#include <random>

#include "models/network.hpp"

namespace spillway::tiling {

/// Numbers that are the same on every platform, which std::uniform_int_distribution does not promise.
class Random {
 public:
  explicit Random(std::uint32_t seed) : engine_(seed) {}

  /// A number of [least, most].
  std::int64_t between(std::int64_t least, std::int64_t most) {
    return least + static_cast<std::int64_t>(engine_() % static_cast<std::uint32_t>(most - least + 1));
  }
  bool chance(int percent) { return between(1, 100) <= percent; }

 private:
  std::mt19937 engine_;
};

/// A random network of 2 to 10 operators on a small, mostly non-square map, a quarter of them with many channels:
/// plain, grouped, dilated and depthwise convolutions, poolings, normalizations, sums and concatenations of several
/// branches, sometimes a dense end.
models::Network random_network(Random& random);

}  // namespace spillway::tiling
