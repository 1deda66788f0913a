#include <cstddef>
#include <cstdint>
#include <span>

#include "hw/stm32/card.hpp"
#include "hw/stm32/card_test.hpp"

/// The board's driver of the card, unchanged, on a machine that others have modelled: QEMU's vexpress-a9, whose PL181
/// has the registers that SDMMC1 descends from. Data move by program instead of DMA, and it polls instead of sleeping.
/// The status for QEMU is the code of the error, 0 for none.
namespace {

using namespace spillway::stm32;
using Register = volatile std::uint32_t;

Register& at(std::uintptr_t address) {
  return *reinterpret_cast<Register*>(address);
}

CardRegisters& registers() {
  return *reinterpret_cast<CardRegisters*>(0x10005000);
}

class FifoPort final : public CardPort {
 public:
  Failure begin(Direction direction, void* memory, std::uint32_t bytes) override {
    direction_ = direction;
    next_ = static_cast<std::uint32_t*>(memory);
    end_ = next_ + bytes / sizeof(std::uint32_t);
    return {};
  }

  void serve(std::uint32_t status) override {
    using namespace card_status;
    if (direction_ == Direction::to_memory) {
      for (; next_ < end_ && (status & data_available) != 0; status = registers().sta)
        *next_++ = registers().fifo;
    } else {
      for (; next_ < end_ && (status & fifo_half_empty) != 0; status = registers().sta)
        registers().fifo = *next_++;
    }
  }

  bool moved() const override { return next_ == end_; }
  bool broken() const override { return false; }
  void end(bool) override { next_ = end_ = nullptr; }

  void set_alarm(std::uint32_t microseconds) override {
    alarm_begin_ = now_us();
    alarm_ = microseconds;
  }
  void cancel_alarm() override { alarm_ = 0; }
  bool rings() const { return alarm_ != 0 && now_us() - alarm_begin_ >= alarm_; }

  /// The board's counter of 24 MHz wraps every 179 s.
  std::uint32_t now_us() const override { return at(0x1000005C) / 24; }

 private:
  Direction direction_ = Direction::to_memory;
  std::uint32_t *next_ = nullptr, *end_ = nullptr;
  std::uint32_t alarm_ = 0, alarm_begin_ = 0;
};

FifoPort port;
Card card(registers(), port);

Failure wait() {
  while (card.busy()) {
    card.interrupt();
    if (port.rings()) card.alarm();
  }
  return card.result();
}

alignas(32) std::uint32_t memory[64 * sector_bytes / sizeof(std::uint32_t)];

Failure test() {
  // PL181: divider bits of any value, one data line.
  if (const Failure failure = card.identify({118, 0, false, 24'000'000})) return failure;
  for (const std::uint32_t sectors : {1u, 2u, 8u, 64u}) {
    const std::span part(memory, sectors * sector_bytes / sizeof(std::uint32_t));
    if (const Failure failure = write_read_verify(card, card.sectors() - 64, part, sectors, wait)) return failure;
  }
  if (card.start(Direction::to_memory, card.sectors() - 1, 2, memory).error != Error::beyond_card)
    return {Error::verification, 1};
  return {};
}

[[noreturn]] void leave(std::uint32_t status) {
  const std::uint32_t arguments[2] = {0x20026, status};
  register std::uint32_t operation asm("r0") = 0x20;
  register const std::uint32_t* block asm("r1") = arguments;
  asm volatile("svc 0x123456" : "+r"(operation) : "r"(block) : "memory", "lr");
  for (;;) {
  }
}

}  // namespace

extern "C" {
extern std::uint32_t bss_begin[], bss_end[];
extern void (*constructors_begin[])();
extern void (*constructors_end[])();

void begin() {
  for (std::uint32_t* word = bss_begin; word < bss_end; ++word)
    *word = 0;
  for (auto constructor = constructors_begin; constructor < constructors_end; ++constructor)
    (*constructor)();
  leave(static_cast<std::uint32_t>(test().error));
}

[[gnu::naked, gnu::section(".start")]] void reset() {
  asm volatile("ldr sp, =0x60800000\n\tb begin\n\t.ltorg");
}
}
