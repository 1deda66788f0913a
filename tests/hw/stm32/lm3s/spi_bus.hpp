#pragma once

#include <cstdint>

namespace spillway::lm3s {

/// SSI0 of an LM3S6965 (an ARM PL022) as an SPI bus, and the card's chip select, GPIO D0. After the data sheet
/// DS-LM3S6965, chapters 5, 8 and 13.
class SpiBus {
 public:
  /// Bytes of a second at transfer_speed(); the core runs at the 12 MHz of reset.
  static constexpr std::uint32_t transfer_bytes_per_s = 750'000;

  /// Connects pins and bus, the card not selected, at 300 kHz: below the 400 kHz of identification also where the
  /// internal oscillator is 30 % fast.
  void start();

  /// 6 MHz.
  void transfer_speed();

  void select_card();

  /// Sends a byte and returns the one that came meanwhile.
  std::uint8_t exchange(std::uint8_t byte);

  /// What the line carries while nobody sends is 0xFF: a byte that is only received.
  std::uint8_t receive() { return exchange(0xFF); }
};

}  // namespace spillway::lm3s
