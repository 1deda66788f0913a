#include "hw/stm32/board.hpp"

#include "hw/stm32/caches.hpp"
#include "hw/stm32/clock.hpp"
#include "hw/stm32/dma_port.hpp"
#include "hw/stm32/pins.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/serial.hpp"
#include "hw/stm32/time.hpp"

namespace spillway::stm32 {
namespace {

/// CLKCR: 48 MHz / (118 + 2) = 400 kHz; 48 MHz / (0 + 2) = 24 MHz, below the 25 MHz of a card at default speed.
constexpr CardClocks card_clocks{118, 0, true, 24'000'000};

/// PendSV comes after everything else that interrupts.
constexpr std::uint32_t last_priority = 15;

/// What the core runs at after reset, with undivided buses.
constexpr std::uint32_t reset_hz = 16'000'000;

DmaPort port;
Card the_card(at<CardRegisters>(sdmmc1_address), port);

void card_called() {
  if (!the_card.busy()) pend_sv();
}

}  // namespace

void start_board(std::string_view program, std::uint32_t plan_hash) {
  const Failure failure = set_clocks();
  start_serial(failure ? reset_hz : apb2_hz);
  report_start(program, plan_hash);
  end_if(failure);
  start_timers();
  start_cycle_counter();
  end_if(check_clocks());
  enable_caches();
  set_pend_sv_priority(last_priority);
}

Card& card() {
  return the_card;
}

Failure start_card() {
  connect_card_pins();
  if (!card_is_in()) return {Error::no_card};
  port.start();
  return the_card.identify(card_clocks);
}

Failure wait_for_card() {
  for (;;) {
    const InterruptsOff alone;
    if (!the_card.busy()) return the_card.result();
    sleep();
  }
}

extern "C" {

void sdmmc1_interrupt() {
  the_card.interrupt();
  card_called();
}

void dma2_stream3_interrupt() {
  port.acknowledge();
  the_card.interrupt();
  card_called();
}

void tim5_interrupt() {
  acknowledge_alarm();
  the_card.alarm();
  card_called();
}

/// An image that does nothing at the end of an operation but wait for it.
[[gnu::weak]] void pend_sv_interrupt() {}

}  // extern "C"

}  // namespace spillway::stm32
