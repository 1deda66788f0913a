#include "hw/stm32/dma_port.hpp"

#include "hw/stm32/caches.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/time.hpp"

namespace spillway::stm32 {
namespace {

/// RM0385, table 26: SDMMC1 is channel 4 of streams 3 and 6.
constexpr std::uint32_t stream_number = 3, channel = 4;
constexpr std::uint32_t flag_shift = 22, flags = 0x3D, direct_error = 4, transfer_error = 8, complete = 32;

constexpr std::uint32_t stream_on = 1, ask_at_error = 4, ask_at_end = 16, peripheral_counts = 32,
                        to_peripheral = 1u << 6, memory_ascends = 1u << 10, words = 2u << 11 | 2u << 13,
                        first_priority = 3u << 16, bursts_of_4 = 1u << 21 | 1u << 23;
constexpr std::uint32_t through_fifo = 4, whole_fifo = 3;

DmaStream& stream() {
  return dma2().streams[stream_number];
}

std::uint32_t stream_flags() {
  return dma2().isr[stream_number / 4] >> flag_shift & flags;
}

void clear_flags() {
  dma2().ifcr[stream_number / 4] = flags << flag_shift;
}

void turn_off() {
  stream().cr = stream().cr & ~stream_on;
  // The word in progress is completed (RM0385, 8.3.6).
  for (std::uint32_t attempt = 0; attempt < 1000 && (stream().cr & stream_on) != 0; ++attempt) {
  }
}

}  // namespace

void DmaPort::start() {
  rcc().ahb1enr = rcc().ahb1enr | 1u << 22;  // DMA2
  rcc().apb2enr = rcc().apb2enr | 1u << 11;  // SDMMC1
  (void)rcc().apb2enr;
  enable(Interrupt::sdmmc1);
  enable(Interrupt::dma2_stream3);
}

Failure DmaPort::begin(Direction direction, void* memory, std::uint32_t bytes) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory);
  if (address % cache_line_bytes != 0) return {Error::misaligned, static_cast<std::uint32_t>(address)};
  direction_ = direction;
  memory_ = memory;
  bytes_ = bytes;
  if (direction == Direction::to_memory)
    invalidate(memory, bytes);
  else
    clean(memory, bytes);

  turn_off();
  clear_flags();
  stream().par = sdmmc1_address + offsetof(CardRegisters, fifo);
  stream().m0ar = static_cast<std::uint32_t>(address);
  stream().ndtr = 0;  // the peripheral knows the end
  stream().fcr = through_fifo | whole_fifo;
  const std::uint32_t settings = channel << 25 | bursts_of_4 | first_priority | words | memory_ascends |
                                 peripheral_counts | ask_at_end | ask_at_error |
                                 (direction == Direction::to_card ? to_peripheral : 0);
  stream().cr = settings;
  stream().cr = settings | stream_on;
  if ((stream().cr & stream_on) == 0) return {Error::dma_refused, stream_flags()};
  return {};
}

void DmaPort::acknowledge() {
  // The flags say what happened until end(); the stream is off.
  stream().cr = stream().cr & ~(ask_at_end | ask_at_error);
}

bool DmaPort::moved() const {
  return (stream_flags() & complete) != 0;
}

bool DmaPort::broken() const {
  return (stream_flags() & (transfer_error | direct_error)) != 0;
}

void DmaPort::end(bool complete) {
  turn_off();
  clear_flags();
  if (complete && direction_ == Direction::to_memory) invalidate(memory_, bytes_);
}

void DmaPort::set_alarm(std::uint32_t microseconds) {
  stm32::set_alarm(microseconds);
}

void DmaPort::cancel_alarm() {
  stm32::cancel_alarm();
}

std::uint32_t DmaPort::now_us() const {
  return static_cast<std::uint32_t>(now_ns() / 1000);
}

}  // namespace spillway::stm32
