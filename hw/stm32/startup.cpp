#include <array>
#include <cstdint>

#include "hw/stm32/processor.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/serial.hpp"
#include "hw/stm32/stack.hpp"

/// From reset to image_main(), and the table of interrupts.
using namespace spillway::stm32;

extern "C" {
// The linker script's.
extern std::uint32_t data_image[], data_begin[], data_end[], bss_begin[], bss_end[], stack_top[];
extern void (*constructors_begin[])();
extern void (*constructors_end[])();

void image_main();
[[noreturn]] void reset();
[[noreturn]] void unexpected();
[[noreturn]] void stack_overflowed();
void fault();
void fault_at(std::uint32_t* frame);
void pend_sv_interrupt();
void usart1_interrupt();
void sdmmc1_interrupt();
void tim5_interrupt();
void dma2_stream3_interrupt();
}

namespace {

constexpr std::uint32_t interrupts = 98;

using Handler = void (*)();

union Vector {
  std::uint32_t* stack;
  Handler handler;
};

constexpr auto make_vectors() {
  std::array<Vector, 16 + interrupts> table{};
  for (Vector& vector : table)
    vector.handler = unexpected;
  table[0].stack = stack_top;
  table[1].handler = reset;
  for (int number = 3; number <= 6; ++number)  // hard, memory, bus and usage fault
    table[static_cast<std::size_t>(number)].handler = fault;
  table[14].handler = pend_sv_interrupt;
  const auto serve = [&](Interrupt interrupt, Handler handler) {
    table[16 + static_cast<std::size_t>(interrupt)].handler = handler;
  };
  serve(Interrupt::usart1, usart1_interrupt);
  serve(Interrupt::sdmmc1, sdmmc1_interrupt);
  serve(Interrupt::tim5, tim5_interrupt);
  serve(Interrupt::dma2_stream3, dma2_stream3_interrupt);
  return table;
}

[[gnu::section(".vectors"), gnu::used]] constinit const std::array<Vector, 16 + interrupts> vectors = make_vectors();

/// The instruction `bkpt 0xAB` of semihosting faults where no debugger listens.
constexpr std::uint16_t semihosting_breakpoint = 0xBEAB;
constexpr std::uint32_t fault_of_debug = 1u << 31;

}  // namespace

extern "C" {

// An image that does not use a peripheral has no handler for it.
[[gnu::weak]] void usart1_interrupt() {
  unexpected();
}
[[gnu::weak]] void sdmmc1_interrupt() {
  unexpected();
}
[[gnu::weak]] void tim5_interrupt() {
  unexpected();
}
[[gnu::weak]] void dma2_stream3_interrupt() {
  unexpected();
}

// The compiler would make calls of memcpy and memset of these loops, which is fine once the stack and FPU stand.
void reset() {
  at<Register>(0xE000ED88) = at<Register>(0xE000ED88) | 0xFu << 20;  // CPACR: the compiler may use the FPU from here on
  data_barrier();
  instruction_barrier();
  const std::uint32_t* from = data_image;
  for (std::uint32_t* to = data_begin; to < data_end; ++to)
    *to = *from++;
  for (std::uint32_t* to = bss_begin; to < bss_end; ++to)
    *to = 0;
  paint_stack();
  for (auto constructor = constructors_begin; constructor < constructors_end; ++constructor)
    (*constructor)();
  image_main();
  end({});
}

void unexpected() {
  end({Error::unexpected_interrupt, system_control().icsr & 0x1FF});
}

/// `frame`: what the core has put on the stack, among it the address of the instruction.
void fault_at(std::uint32_t* frame) {
  constexpr int program_counter = 6;
  const std::uint32_t address = frame[program_counter];
  if ((system_control().hfsr & fault_of_debug) != 0 &&
      *reinterpret_cast<const std::uint16_t*>(address) == semihosting_breakpoint) {
    system_control().hfsr = fault_of_debug;
    frame[program_counter] = address + 2;
    return;
  }
  report("fault_status", system_control().cfsr);
  report("fault_address", system_control().bfar);
  end({Error::hard_fault, address});
}

void stack_overflowed() {
  end({Error::stack_overflow, 0});
}

/// A stack that has left its memory is given up: what is to be told needs one.
[[gnu::naked]] void fault() {
  asm volatile(
      "mrs r0, msp\n\t"
      "ldr r1, =stack_limit\n\t"
      "cmp r0, r1\n\t"
      "bhs fault_at\n\t"
      "ldr r0, =stack_top\n\t"
      "msr msp, r0\n\t"
      "b stack_overflowed\n\t"
      ".ltorg");
}

}  // extern "C"
