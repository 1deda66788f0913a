#pragma once

#include <cstdint>

namespace spillway::stm32 {

/// ARM's semihosting: the operation that ends a program with a status. A debugger or emulator takes the breakpoint;
/// without one it faults.
void tell_debugger(std::uint32_t status);

}  // namespace spillway::stm32
