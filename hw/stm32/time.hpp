#pragma once

#include <cstdint>

#include "hw/stm32/registers.hpp"

/// Time: TIM2 counts all the time, also while the core sleeps (the core's cycle counter does not); TIM5 rings once.
namespace spillway::stm32 {

/// Starts both timers. The clocks must be set.
void start_timers();

/// TIM2: 108 million a second, wraps every 39 s.
inline std::uint32_t timer_ticks() {
  return tim2().cnt;
}

/// Since start_timers(). Must be called at least once in 39 s: it counts the wraps. From any context.
std::uint64_t now_ns();

/// Rings TIM5's interrupt once, after so many microseconds (at most 4,294 s); an alarm that was set before is
/// forgotten.
void set_alarm(std::uint32_t microseconds);
void cancel_alarm();

/// For the interrupt of TIM5: takes its flag back.
void acknowledge_alarm();

}  // namespace spillway::stm32
