#pragma once

#include "hw/stm32/card.hpp"

namespace spillway::stm32 {

/// Moves the card's data by DMA2, stream 3, and measures time with the board's timers. Memory must begin at a multiple
/// of 32 bytes: DMA moves bursts of 16, and the cache lines of SRAM belong to one owner.
class DmaPort final : public CardPort {
 public:
  /// Turns clocks and interrupts on.
  void start();

  /// For the interrupt of the stream: it has been heard.
  void acknowledge();

  Failure begin(Direction direction, void* memory, std::uint32_t bytes) override;
  void serve(std::uint32_t) override {}
  bool moved() const override;
  bool broken() const override;
  void end(bool complete) override;
  void set_alarm(std::uint32_t microseconds) override;
  void cancel_alarm() override;
  std::uint32_t now_us() const override;

 private:
  Direction direction_ = Direction::to_memory;
  void* memory_ = nullptr;
  std::uint32_t bytes_ = 0;
};

}  // namespace spillway::stm32
