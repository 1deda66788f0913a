#pragma once

#include <cstddef>
#include <cstdint>

#include "hw/stm32/registers.hpp"

/// The core: interrupts, barriers, sleep, the cycle counter.
namespace spillway::stm32 {

inline void data_barrier() {
  asm volatile("dsb" ::: "memory");
}
inline void instruction_barrier() {
  asm volatile("isb" ::: "memory");
}

/// No interrupt is taken while an object lives. Nests.
class InterruptsOff {
 public:
  InterruptsOff() { asm volatile("mrs %0, primask\n\tcpsid i" : "=r"(before_)::"memory"); }
  ~InterruptsOff() { asm volatile("msr primask, %0" ::"r"(before_) : "memory"); }
  InterruptsOff(const InterruptsOff&) = delete;
  InterruptsOff& operator=(const InterruptsOff&) = delete;

 private:
  std::uint32_t before_;
};

/// Sleeps until an interrupt is pending, also one that is held off: call it with interrupts off, after the check of
/// what is waited for, so that none falls between check and sleep.
inline void sleep() {
  data_barrier();
  asm volatile("wfi" ::: "memory");
}

inline void enable(Interrupt interrupt) {
  const auto number = static_cast<std::uint32_t>(interrupt);
  at<Register>(0xE000E100 + 4 * (number / 32)) = 1u << number % 32;
}

/// Priority 0 (first) to 15; interrupts begin with 0.
inline void set_pend_sv_priority(std::uint32_t priority) {
  system_control().shpr[2] = (system_control().shpr[2] & ~0x00FF0000u) | priority << 20;
}

/// Asks for PendSV, taken when nothing of a higher priority runs.
inline void pend_sv() {
  system_control().icsr = 1u << 28;
}

/// Starts the cycle counter. It stands still while the core sleeps, and has 32 bits: 19 s at 216 MHz.
inline void start_cycle_counter() {
  at<Register>(0xE000EDFC) = at<Register>(0xE000EDFC) | 1u << 24;  // DEMCR: TRCENA
  at<Register>(0xE0001FB0) = 0xC5ACCE55;                           // DWT_LAR: the Cortex-M7 locks the unit
  at<Register>(0xE0001004) = 0;
  at<Register>(0xE0001000) = at<Register>(0xE0001000) | 1;
}
inline std::uint32_t cycles() {
  return at<Register>(0xE0001004);
}

}  // namespace spillway::stm32
