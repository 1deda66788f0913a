#pragma once

#include <cstddef>
#include <cstdint>

/// SDMMC1 of the STM32F7 (RM0385, chapter 35), a descendant of ARM's PL180 and PL181: those have the same registers.
namespace spillway::stm32 {

struct CardRegisters {
  using Register = volatile std::uint32_t;

  Register power, clkcr, arg, cmd, respcmd, resp[4], dtimer, dlen, dctrl, dcount, sta, icr, mask, reserved0[2], fifocnt,
      reserved1[13], fifo;
};
static_assert(offsetof(CardRegisters, sta) == 0x34 && offsetof(CardRegisters, fifocnt) == 0x48 &&
              offsetof(CardRegisters, fifo) == 0x80);

/// Bits of STA, ICR and MASK.
namespace card_status {
inline constexpr std::uint32_t response_damaged = 1u << 0, data_damaged = 1u << 1, no_response = 1u << 2,
                               data_timeout = 1u << 3, underrun = 1u << 4, overrun = 1u << 5, response = 1u << 6,
                               sent = 1u << 7, data_end = 1u << 8, start_bit = 1u << 9, block_end = 1u << 10,
                               fifo_half_empty = 1u << 14, fifo_half_full = 1u << 15, data_available = 1u << 21;
inline constexpr std::uint32_t command_errors = response_damaged | no_response;
inline constexpr std::uint32_t data_errors = data_damaged | data_timeout | underrun | overrun;
inline constexpr std::uint32_t all = 0x7FF;
}  // namespace card_status

}  // namespace spillway::stm32
