#pragma once

#include <cstdint>
#include <random>
#include <vector>

#include "hw/kernels/int8/layers.hpp"

namespace spillway::int8::test {

using Random = std::mt19937;

/// A random number of [least, most].
int pick(Random& random, int least, int most);

/// A feature map of random int8 numbers, in rows, columns, channels.
struct Map {
  std::uint32_t height = 1, width = 1, channels = 1;
  std::vector<std::int8_t> values;

  Map(Random& random, std::uint32_t rows, std::uint32_t columns, std::uint32_t depth);

  std::int8_t& at(std::uint32_t y, std::uint32_t x, std::uint32_t c) { return values[(y * width + x) * channels + c]; }
  std::int8_t at(std::uint32_t y, std::uint32_t x, std::uint32_t c) const {
    return values[(y * width + x) * channels + c];
  }
};

/// A box of a map as a tile has it in memory: a patch for each part (and, where asked, for quarters of each), packed
/// one after the other over a chain of small buffers, each of which lies in an allocation of its own.
class ScatteredMap {
 public:
  ScatteredMap(Random& random, const Map& map, const core::Region& box, const std::vector<core::Range>& parts);

  Input input() const { return {height_, width_, patches_}; }

 private:
  std::uint32_t height_, width_;
  std::vector<std::vector<std::int8_t>> buffers_;
  std::vector<const std::int8_t*> pointers_;
  std::vector<Patch> patches_;
};

/// Cuts [0, size) into 1 to 3 ranges.
std::vector<core::Range> cut(Random& random, std::uint32_t size);

/// Cuts [0, size) into ranges of `step`, the last one shorter.
std::vector<core::Range> steps(std::uint32_t size, std::uint32_t step);

}  // namespace spillway::int8::test
