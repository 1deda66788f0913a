#pragma once

#include <cstdint>

/// How deep the stack has been: start-up paints it, and what lost its colour was used.
namespace spillway::stm32 {

/// Paints all of the stack below the caller.
void paint_stack();

/// Of thread and interrupts together; they share one stack.
std::uint32_t deepest_stack_bytes();

}  // namespace spillway::stm32
