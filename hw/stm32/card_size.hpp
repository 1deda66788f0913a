#pragma once

#include <array>
#include <cstdint>

namespace spillway::stm32 {

/// Card-specific data (SD Physical Layer specification, 5.3): bits 127 to 0, the first word has the uppermost.
using CardSpecificData = std::array<std::uint32_t, 4>;

/// Sectors of a card: version 1 of the data says it by size, multiplier and length of blocks, version 2 in 512 KiB.
constexpr std::uint32_t sectors_of(const CardSpecificData& data) {
  const auto bits = [&](std::uint32_t high, std::uint32_t low) {
    std::uint32_t value = 0;
    for (std::uint32_t bit = high + 1; bit-- > low;)
      value = value << 1 | (data[3 - bit / 32] >> bit % 32 & 1);
    return value;
  };
  if (bits(127, 126) == 0) return (bits(73, 62) + 1) << (bits(49, 47) + 2) << bits(83, 80) >> 9;
  return (bits(69, 48) + 1) * 1024;
}

}  // namespace spillway::stm32
