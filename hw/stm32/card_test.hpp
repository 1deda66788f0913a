#pragma once

#include <cstdint>
#include <span>

#include "hw/stm32/card.hpp"

namespace spillway::stm32 {

/// Writes a pattern that depends on place and `seed` to sectors of the card, as one operation, reads it into memory
/// that held something else, and compares. `memory` holds a whole number of sectors and is aligned as the port wants
/// it. `wait` ends when the card's operation has ended, and says how.
Failure write_read_verify(Card& card, std::uint32_t first_sector, std::span<std::uint32_t> memory, std::uint32_t seed,
                          Failure (*wait)());

}  // namespace spillway::stm32
