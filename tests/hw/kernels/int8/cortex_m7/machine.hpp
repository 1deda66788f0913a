#pragma once

#include <cstdint>

/// What the programs of this folder need of the emulated machine: semihosting and a clock that counts instructions.
namespace spillway::cortex_m7 {

/// Writes to QEMU's console.
void print(const char* text);
void print(std::uint32_t number);
void print_hexadecimal(std::uint32_t number);

/// Ends the emulator with this status.
[[noreturn]] void exit(std::uint32_t status);

/// Starts the clock.
void start_clock();

/// Ticks of 40 ns of virtual time; with `-icount shift=6` an instruction takes 64 ns.
std::uint32_t ticks();

/// Instructions between two calls of ticks(), to 1.
constexpr std::uint32_t instructions(std::uint32_t from, std::uint32_t to) {
  return static_cast<std::uint32_t>(std::uint64_t{to - from} * 40 / 64);
}

}  // namespace spillway::cortex_m7
