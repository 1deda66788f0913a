#pragma once

#include <cstdint>

#include "hw/stm32/errors.hpp"

/// The clocks of the board: a crystal of 25 MHz, the core at 216 MHz, APB1 at 54 MHz, APB2 at 108 MHz, SDMMC1 at 48
/// MHz.
namespace spillway::stm32 {

inline constexpr std::uint32_t core_hz = 216'000'000, apb2_hz = 108'000'000, apb1_timer_hz = 108'000'000,
                               sdmmc_hz = 48'000'000;

/// Sets the clocks. Fails with what does not come up.
Failure set_clocks();

/// Reads back what the clocks are, whoever set them, and holds it against what the part needs at that speed: source and
/// frequency of the core, over-drive, wait states, and that cycle counter and timer agree.
Failure check_clocks();

}  // namespace spillway::stm32
