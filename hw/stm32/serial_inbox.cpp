#include "hw/stm32/serial_inbox.hpp"

#include <array>

#include "hw/stm32/processor.hpp"
#include "hw/stm32/registers.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t ask_when_received = 1u << 5;
constexpr std::uint32_t overrun = 1u << 3, byte_received = 1u << 5;

/// `head` is moved by the interrupt, `tail` by who takes; both count all bytes ever.
std::array<std::uint8_t, serial_inbox_bytes> inbox;
volatile std::uint32_t head = 0, tail = 0, losses = 0;

}  // namespace

void listen_to_serial() {
  const InterruptsOff alone;
  usart1().cr1 = usart1().cr1 | ask_when_received;
}

std::optional<std::uint8_t> received_byte() {
  if (tail == head) return std::nullopt;
  const std::uint8_t byte = inbox[tail % serial_inbox_bytes];
  tail = tail + 1;
  return byte;
}

std::uint32_t serial_losses() {
  return losses;
}

extern "C" void usart1_receives() {
  const std::uint32_t status = usart1().isr;
  if ((status & overrun) != 0) {
    usart1().icr = overrun;
    losses = losses + 1;
  }
  if ((status & byte_received) == 0) return;
  const auto byte = static_cast<std::uint8_t>(usart1().rdr);
  if (head - tail == serial_inbox_bytes) {
    losses = losses + 1;
    return;
  }
  inbox[head % serial_inbox_bytes] = byte;
  head = head + 1;
}

}  // namespace spillway::stm32
