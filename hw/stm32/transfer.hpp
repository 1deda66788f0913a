#pragma once

#include <cstdint>

#include "hw/stm32/errors.hpp"

namespace spillway::stm32 {

inline constexpr std::uint32_t sector_bytes = 512;

enum class Direction : std::uint8_t { to_memory, to_card };

/// One operation on the card.
struct Transfer {
  Direction direction = Direction::to_memory;
  std::uint32_t sector = 0, sectors = 0;
  void* memory = nullptr;
};

/// What carries a transfer out and waits for its end.
using CarryOut = Failure (*)(const Transfer&);

}  // namespace spillway::stm32
