#include "machine.hpp"

#include <cstddef>

int main();

namespace spillway::cortex_m7 {
namespace {

int semihosting(int operation, const void* argument) {
  register int r0 asm("r0") = operation;
  register const void* r1 asm("r1") = argument;
  asm volatile("bkpt 0xAB" : "+r"(r0) : "r"(r1) : "memory");
  return r0;
}

volatile std::uint32_t& at(std::uint32_t address) {
  return *reinterpret_cast<volatile std::uint32_t*>(address);
}

// CMSDK timer 1 counts down at 25 MHz of virtual time.
constexpr std::uint32_t timer = 0x40001000, timer_value = timer + 4, timer_reload = timer + 8;

}  // namespace

void print(const char* text) {
  constexpr int write0 = 4;
  semihosting(write0, text);
}

void print(std::uint32_t number) {
  char digits[11];
  char* at = digits + 10;
  *at = 0;
  do {
    *--at = static_cast<char>('0' + number % 10);
    number /= 10;
  } while (number != 0);
  print(at);
}

void print_hexadecimal(std::uint32_t number) {
  char digits[9] = {};
  for (int i = 0; i < 8; ++i)
    digits[i] = "0123456789abcdef"[number >> (28 - 4 * i) & 15];
  print(digits);
}

void exit(std::uint32_t status) {
  constexpr int exit_extended = 0x20;
  const std::uint32_t block[2] = {0x20026, status};
  semihosting(exit_extended, block);
  for (;;) {
  }
}

void start_clock() {
  at(timer) = 0;
  at(timer_reload) = 0xFFFFFFFF;
  at(timer_value) = 0xFFFFFFFF;
  at(timer) = 1;
}

std::uint32_t ticks() {
  return 0xFFFFFFFF - at(timer_value);
}

}  // namespace spillway::cortex_m7

extern "C" {
extern std::uint32_t data_image, data_begin, data_end, bss_begin, bss_end, stack_end;

[[noreturn]] void reset() {
  volatile std::uint32_t& coprocessors = *reinterpret_cast<volatile std::uint32_t*>(0xE000ED88);
  coprocessors = coprocessors | 0xFU << 20;  // the compiler may use the registers of the FPU anywhere
  asm volatile("dsb\nisb");
  const std::uint32_t* from = &data_image;
  for (volatile std::uint32_t* to = &data_begin; to < &data_end; to = to + 1)
    *to = *from++;
  for (volatile std::uint32_t* to = &bss_begin; to < &bss_end; to = to + 1)
    *to = 0;
  spillway::cortex_m7::exit(static_cast<std::uint32_t>(main()));
}

[[noreturn]] void fault() {
  spillway::cortex_m7::exit(99);
}

[[gnu::section(".vectors"), gnu::used]] const void* const vectors[8] = {&stack_end,
                                                                        reinterpret_cast<const void*>(reset),
                                                                        reinterpret_cast<const void*>(fault),
                                                                        reinterpret_cast<const void*>(fault),
                                                                        reinterpret_cast<const void*>(fault),
                                                                        reinterpret_cast<const void*>(fault),
                                                                        reinterpret_cast<const void*>(fault),
                                                                        nullptr};
}
