#pragma once

#include <cstdint>

#include "hw/stm32/card_registers.hpp"
#include "hw/stm32/errors.hpp"
#include "hw/stm32/transfer.hpp"

/// The driver of an SD card. It knows the registers and the card, not what lies around them (CardPort), so that it runs
/// unchanged on other machines with that block of registers.
namespace spillway::stm32 {

/// What moves the data and measures the time. Calls come from the driver only.
class CardPort {
 public:
  /// Makes ready to move so many bytes. Fails for memory that it cannot use.
  virtual Failure begin(Direction direction, void* memory, std::uint32_t bytes) = 0;

  /// The driver was called with that status: ports that move data by program do it here.
  virtual void serve(std::uint32_t status) = 0;

  /// All data of a read has reached the memory; all of a write has left it.
  virtual bool moved() const = 0;

  /// The mover itself failed.
  virtual bool broken() const = 0;

  /// The data may be used, or (not `complete`) the movement is given up.
  virtual void end(bool complete) = 0;

  /// Calls Card::alarm() once after so many microseconds. The next call and cancel_alarm() forget the one before.
  virtual void set_alarm(std::uint32_t microseconds) = 0;
  virtual void cancel_alarm() = 0;

  /// A clock of any origin.
  virtual std::uint32_t now_us() const = 0;

 protected:
  ~CardPort() = default;
};

/// How the registers make the bus clock.
struct CardClocks {
  std::uint32_t identification, transfer;  ///< CLKCR: divider bits for at most 400 kHz, at most 25 MHz
  bool wide = true;                        ///< four data lines
  std::uint32_t transfer_hz = 24'000'000;  ///< what the data timeout counts in
};

/// One operation at a time. start() returns at once; interrupts carry it on.
class Card {
 public:
  /// Longest time of an operation: the specification allows a card 0.1 s before data comes and 0.5 s to program; the
  /// rest is for the transfer.
  static constexpr std::uint32_t deadline_us = 1'500'000;

  Card(CardRegisters& registers, CardPort& port) : registers_(registers), port_(port) {}

  /// Finds out what is in the slot and makes it ready. Waits; ends in any case.
  Failure identify(const CardClocks& clocks);

  /// Sectors of the card.
  std::uint32_t sectors() const { return sectors_; }

  /// Begins to move sectors. Not while busy(). A failure is the end of the operation.
  Failure start(Direction direction, std::uint32_t sector, std::uint32_t sectors, void* memory);

  /// An operation is on its way.
  bool busy() const { return step_ != Step::idle; }

  /// How the last operation ended.
  Failure result() const { return result_; }

  /// For the interrupts of the registers and of what moves the data.
  void interrupt();

  /// For the port's alarm.
  void alarm();

 private:
  enum class Step : std::uint8_t { idle, read, write_command, write, stop, ask, wait };
  enum class Response : std::uint32_t { none = 0, brief = 1, large = 3 };

  void issue(std::uint32_t command, std::uint32_t argument, Response response);
  Failure command(std::uint32_t command, std::uint32_t argument, Response response);
  Failure application_command(std::uint32_t command, std::uint32_t argument);
  Failure power_up();
  void configure_data();
  void advance(std::uint32_t status);
  void answered();
  void stop_transfer();
  void ask();
  void finish(Failure failure);
  Failure command_failure(std::uint32_t status) const;
  Failure data_failure(std::uint32_t status) const;

  CardRegisters& registers_;
  CardPort& port_;
  std::uint32_t address_ = 0;  ///< the card's name on the bus, in the upper half
  std::uint32_t sectors_ = 0;
  std::uint32_t timeout_clocks_ = 0;
  bool counts_sectors_ = false;  ///< else its addresses are bytes
  volatile Step step_ = Step::idle;
  Direction direction_ = Direction::to_memory;
  bool answered_ = false, data_ended_ = false;
  std::uint32_t sector_ = 0, count_ = 0;
  std::uint32_t begin_us_ = 0;
  Failure result_;
};

}  // namespace spillway::stm32
