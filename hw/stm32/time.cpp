#include "hw/stm32/time.hpp"

#include "hw/stm32/clock.hpp"
#include "hw/stm32/processor.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t counter_on = 1, only_overflow = 4, one_pulse = 8, update = 1;

std::uint64_t ticks = 0;

}  // namespace

void start_timers() {
  rcc().apb1enr = rcc().apb1enr | 1u << 0 | 1u << 3;  // TIM2, TIM5
  (void)rcc().apb1enr;                                // the clock is there two cycles later
  tim2().psc = 0;
  tim2().arr = 0xFFFFFFFF;
  tim2().egr = update;
  tim2().cr1 = counter_on;
  tim5().psc = apb1_timer_hz / 1'000'000 - 1;
  tim5().cr1 = only_overflow | one_pulse;
  tim5().egr = update;  // takes the prescaler over
  tim5().dier = update;
  enable(Interrupt::tim5);
}

std::uint64_t now_ns() {
  const InterruptsOff alone;
  ticks += timer_ticks() - static_cast<std::uint32_t>(ticks);
  return ticks * 1000 / (apb1_timer_hz / 1'000'000);
}

void set_alarm(std::uint32_t microseconds) {
  cancel_alarm();
  tim5().arr = microseconds;
  tim5().cnt = 0;
  tim5().cr1 = only_overflow | one_pulse | counter_on;
}

void cancel_alarm() {
  tim5().cr1 = only_overflow | one_pulse;
  tim5().sr = 0;
}

void acknowledge_alarm() {
  tim5().sr = 0;
}

}  // namespace spillway::stm32
