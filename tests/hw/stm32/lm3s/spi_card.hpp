#pragma once

#include <cstdint>
#include <span>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/transfer.hpp"
#include "tests/hw/stm32/lm3s/spi_bus.hpp"

namespace spillway::lm3s {

/// An SD card of version 2 or later in SPI mode (SD Physical Layer specification, chapter 7). The card is alone on the
/// bus and stays selected. After a failure it has to be identified again.
class SpiCard {
 public:
  explicit SpiCard(SpiBus& bus) : bus_(bus) {}

  /// Finds out what is in the slot and makes it ready.
  stm32::Failure identify();

  std::uint32_t sectors() const { return sectors_; }

  /// Moves sectors and returns when they are moved.
  stm32::Failure carry_out(const stm32::Transfer& transfer);

 private:
  stm32::Failure command(std::uint32_t number, std::uint32_t argument);
  stm32::Failure judge_response(std::uint32_t number) const;
  stm32::Failure power_up();
  stm32::Failure read_size();
  stm32::Failure read(std::uint32_t address, std::span<std::uint8_t> memory);
  stm32::Failure write(std::uint32_t address, std::span<const std::uint8_t> memory);
  stm32::Failure receive_block(std::span<std::uint8_t> block);
  stm32::Failure send_block(std::span<const std::uint8_t> block);
  stm32::Failure wait_until_ready();
  std::uint32_t receive_word();

  SpiBus& bus_;
  std::uint32_t sectors_ = 0;
  std::uint32_t sector_ = 0;     ///< the first one of the transfer in progress
  std::uint8_t response_ = 0;    ///< R1 of the last command
  bool counts_sectors_ = false;  ///< else its addresses are bytes
};

}  // namespace spillway::lm3s
