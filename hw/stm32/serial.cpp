#include "hw/stm32/serial.hpp"

#include <array>

#include "hw/stm32/pins.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/registers.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t usart_on = 1, receiver_on = 4, transmitter_on = 8, ask_when_empty = 1u << 7;
constexpr std::uint32_t data_register_empty = 1u << 7, line_idle = 1u << 6;

/// `head` is moved by who queues, `tail` by who sends; both count all bytes ever.
std::array<std::uint8_t, serial_ring_bytes> ring;
volatile std::uint32_t head = 0, tail = 0;
std::uint32_t waits = 0;

void send_next() {
  usart1().tdr = ring[tail % serial_ring_bytes];
  tail = tail + 1;
}

/// For those who wait with interrupts off, or at a priority that keeps the interrupt away.
void send_by_hand() {
  if (tail != head && (usart1().isr & data_register_empty) != 0) send_next();
}

}  // namespace

void start_serial(std::uint32_t bus_hz) {
  connect_serial_pins();
  rcc().apb2enr = rcc().apb2enr | 1u << 4;
  (void)rcc().apb2enr;
  usart1().brr = (bus_hz + serial_baud / 2) / serial_baud;
  usart1().cr1 = usart_on | receiver_on | transmitter_on;
  enable(Interrupt::usart1);
}

void send(std::span<const std::uint8_t> bytes) {
  if (serial_ring_bytes - (head - tail) < bytes.size()) {
    ++waits;
    while (serial_ring_bytes - (head - tail) < bytes.size()) {
      const InterruptsOff alone;
      send_by_hand();
    }
  }
  for (const std::uint8_t byte : bytes) {
    ring[head % serial_ring_bytes] = byte;
    head = head + 1;
  }
  const InterruptsOff alone;
  usart1().cr1 = usart1().cr1 | ask_when_empty;
}

std::uint32_t serial_waits() {
  return waits;
}

void flush_serial() {
  const InterruptsOff alone;
  if ((usart1().cr1 & transmitter_on) == 0) return;
  while (tail != head)
    send_by_hand();
  while ((usart1().isr & line_idle) == 0) {
  }
}

extern "C" {

/// An image that does not listen.
[[gnu::weak]] void usart1_receives() {}

void usart1_interrupt() {
  usart1_receives();
  if ((usart1().cr1 & ask_when_empty) == 0) return;
  if (tail == head)
    usart1().cr1 = usart1().cr1 & ~ask_when_empty;
  else if ((usart1().isr & data_register_empty) != 0)
    send_next();
}

}  // extern "C"

}  // namespace spillway::stm32
