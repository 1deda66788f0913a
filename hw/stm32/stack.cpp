#include "hw/stm32/stack.hpp"

extern "C" {
extern std::uint32_t stack_limit[], stack_top[];
}

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t paint = 0xC5C5C5C5;

}  // namespace

void paint_stack() {
  std::uint32_t* pointer;
  asm("mov %0, sp" : "=r"(pointer));
  for (volatile std::uint32_t* word = stack_limit; word < pointer; ++word)
    *word = paint;
}

std::uint32_t deepest_stack_bytes() {
  const std::uint32_t* word = stack_limit;
  while (word < stack_top && *word == paint)
    ++word;
  return static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stack_top) -
                                    reinterpret_cast<std::uintptr_t>(word));
}

}  // namespace spillway::stm32
