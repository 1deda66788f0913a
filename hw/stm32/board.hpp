#pragma once

#include <cstdint>
#include <string_view>

#include "hw/stm32/card.hpp"

/// The board as a whole: what every image begins with. Its own part is `extern "C" void image_main()`.
namespace spillway::stm32 {

/// Clocks, timers, serial port, caches; says on the serial port what runs. Ends where something does not come up.
void start_board(std::string_view program, std::uint32_t plan_hash = 0);

/// The card in the slot, and its interrupts. An operation that ends asks for PendSV.
Card& card();

/// Makes the card ready. Fails as Card::identify() does, and where the slot is empty.
Failure start_card();

/// Sleeps until the operation on the card has ended, and says how.
Failure wait_for_card();

}  // namespace spillway::stm32
