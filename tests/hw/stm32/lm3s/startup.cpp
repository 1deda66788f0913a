#include <array>
#include <cstdint>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/semihosting.hpp"
#include "hw/stm32/stack.hpp"

/// From reset to run(), whose error is the status for QEMU. No interrupt is enabled: the table has the core's own
/// alone.
using namespace spillway::stm32;

Failure run();

extern "C" {
// The linker script's.
extern std::uint32_t data_image[], data_begin[], data_end[], bss_begin[], bss_end[], stack_limit[], stack_top[];
extern void (*constructors_begin[])();
extern void (*constructors_end[])();

[[noreturn]] void leave(Error error);
[[noreturn]] void reset();
void fault();
}

namespace {

union Vector {
  std::uint32_t* stack;
  void (*handler)();
};

constexpr auto make_vectors() {
  std::array<Vector, 16> table{};
  for (Vector& vector : table)
    vector.handler = fault;
  table[0].stack = stack_top;
  table[1].handler = reset;
  return table;
}

[[gnu::section(".vectors"), gnu::used]] constinit const std::array<Vector, 16> vectors = make_vectors();

/// The machine ignores accesses to where no memory is: a stack that overflows does not fault as on the board.
bool stack_is_full() {
  return deepest_stack_bytes() >= static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(stack_top) -
                                                             reinterpret_cast<std::uintptr_t>(stack_limit));
}

}  // namespace

extern "C" {

void leave(Error error) {
  tell_debugger(static_cast<std::uint32_t>(stack_is_full() ? Error::stack_overflow : error));
  for (;;) {
  }
}

void reset() {
  const std::uint32_t* from = data_image;
  for (std::uint32_t* to = data_begin; to < data_end; ++to)
    *to = *from++;
  for (std::uint32_t* to = bss_begin; to < bss_end; ++to)
    *to = 0;
  paint_stack();
  for (auto constructor = constructors_begin; constructor < constructors_end; ++constructor)
    (*constructor)();
  leave(run().error);
}

/// With a stack of its own: what is left to do takes one, and the program's may be why.
[[gnu::naked]] void fault() {
  asm volatile(
      "ldr r1, =stack_top\n\t"
      "msr msp, r1\n\t"
      "movs r0, %0\n\t"
      "b leave\n\t"
      ".ltorg" ::"i"(static_cast<int>(Error::hard_fault)));
}

}  // extern "C"
