#include "tests/hw/stm32/lm3s/spi_card.hpp"

#include <array>
#include <cstddef>

#include "hw/stm32/card_size.hpp"

namespace spillway::lm3s {
namespace {

using stm32::Direction;
using stm32::Error;
using stm32::Failure;
using stm32::sector_bytes;

/// Commands of SPI mode (7.3.1.3).
constexpr std::uint32_t go_idle = 0, send_interface_condition = 8, send_csd = 9, stop_transmission = 12,
                        send_status = 13, set_block_length = 16, read_multiple = 18, write_multiple = 25,
                        send_operating_condition = 41, application = 55, read_ocr = 58;

/// 2.7 to 3.6 V and the check pattern that the card echoes.
constexpr std::uint32_t interface_condition = 0x1AA;
/// OCR: the host takes cards that count in sectors; the card does.
constexpr std::uint32_t high_capacity = 1u << 30;

/// R1 (7.3.2.1).
constexpr std::uint8_t no_response = 0x80, idle = 0x01, command_crc = 0x08, response_errors = 0x7E;
/// Tokens (7.3.3).
constexpr std::uint8_t begin_block = 0xFE, begin_block_of_many = 0xFC, stop_writing = 0xFD, nothing = 0xFF;
constexpr std::uint8_t data_response = 0x1F, data_accepted = 0x05, data_crc = 0x0B;

/// A response comes within 8 bytes (7.5.4); data, and the end of programming, within half a second; the card is ready
/// a second after its power. The bus gives the time: a byte takes 1.3 us, in identification 27 us.
constexpr std::uint32_t response_bytes = 9, data_deadline_bytes = SpiBus::transfer_bytes_per_s / 2,
                        power_up_attempts = 2500;

/// CRC-7 of commands (4.5): x^7 + x^3 + 1, behind it the end bit.
std::uint8_t command_checksum(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0;
  for (const std::uint8_t byte : bytes) {
    crc ^= byte;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 0x80) != 0 ? (crc << 1 ^ 0x09 << 1) & 0xFF : crc << 1;
  }
  return static_cast<std::uint8_t>(crc | 1);
}

/// CRC-16 of data (4.5): x^16 + x^12 + x^5 + 1, beginning with 0.
std::uint16_t data_checksum(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0;
  for (const std::uint8_t byte : bytes) {
    crc = (crc >> 8 | crc << 8) & 0xFFFF;
    crc ^= byte;
    crc ^= (crc & 0xFF) >> 4;
    crc = (crc ^ crc << 12) & 0xFFFF;
    crc ^= (crc & 0xFF) << 5;
  }
  return static_cast<std::uint16_t>(crc);
}

}  // namespace

Failure SpiCard::identify() {
  bus_.start();
  // A card needs 74 clocks after the power (6.4.1).
  for (int byte = 0; byte < 10; ++byte)
    bus_.receive();
  bus_.select_card();
  if (const Failure failure = command(go_idle, 0)) return failure;
  if (response_ != idle) return {Error::card_unusable, response_};
  if (const Failure failure = command(send_interface_condition, interface_condition)) return failure;
  const std::uint32_t condition = receive_word();
  if ((condition & 0xFFF) != interface_condition) return {Error::card_unusable, condition};
  if (const Failure failure = power_up()) return failure;
  if (const Failure failure = command(read_ocr, 0)) return failure;
  counts_sectors_ = (receive_word() & high_capacity) != 0;
  if (const Failure failure = command(set_block_length, sector_bytes)) return failure;
  bus_.transfer_speed();
  return read_size();
}

Failure SpiCard::power_up() {
  for (std::uint32_t attempt = 0; attempt < power_up_attempts; ++attempt) {
    if (const Failure failure = command(application, 0)) return failure;
    if (const Failure failure = command(send_operating_condition, high_capacity)) return failure;
    if (response_ == 0) return {};
  }
  return {Error::card_unusable, response_};
}

Failure SpiCard::read_size() {
  std::array<std::uint8_t, 16> bytes;
  if (const Failure failure = command(send_csd, 0)) return failure;
  if (const Failure failure = receive_block(bytes)) return failure;
  stm32::CardSpecificData data{};
  for (std::size_t i = 0; i < bytes.size(); ++i)
    data[i / 4] = data[i / 4] << 8 | bytes[i];
  sectors_ = stm32::sectors_of(data);
  return {};
}

/// Issues a command and takes its R1.
Failure SpiCard::command(std::uint32_t number, std::uint32_t argument) {
  std::array<std::uint8_t, 6> frame{static_cast<std::uint8_t>(0x40 | number), static_cast<std::uint8_t>(argument >> 24),
                                    static_cast<std::uint8_t>(argument >> 16), static_cast<std::uint8_t>(argument >> 8),
                                    static_cast<std::uint8_t>(argument)};
  frame[5] = command_checksum(std::span(frame).first<5>());
  // A card takes 8 clocks to end what it has been doing before (4.4).
  bus_.receive();
  for (const std::uint8_t byte : frame)
    bus_.exchange(byte);
  // What comes first after this command still belongs to the data (7.5.2).
  if (number == stop_transmission) bus_.receive();
  response_ = nothing;
  for (std::uint32_t byte = 0; byte < response_bytes && (response_ & no_response) != 0; ++byte)
    response_ = bus_.receive();
  return judge_response(number);
}

Failure SpiCard::judge_response(std::uint32_t number) const {
  if ((response_ & no_response) != 0) return {Error::card_silent, number};
  if ((response_ & command_crc) != 0) return {Error::command_damaged, number};
  if ((response_ & response_errors) != 0) return {Error::card_refuses, response_};
  return {};
}

std::uint32_t SpiCard::receive_word() {
  std::uint32_t word = 0;
  for (int byte = 0; byte < 4; ++byte)
    word = word << 8 | bus_.receive();
  return word;
}

Failure SpiCard::carry_out(const stm32::Transfer& transfer) {
  if (transfer.sector >= sectors_ || transfer.sectors > sectors_ - transfer.sector)
    return {Error::beyond_card, transfer.sector};
  sector_ = transfer.sector;
  const std::span memory(static_cast<std::uint8_t*>(transfer.memory), transfer.sectors * std::size_t{sector_bytes});
  const std::uint32_t address = counts_sectors_ ? sector_ : sector_ * sector_bytes;
  return transfer.direction == Direction::to_memory ? read(address, memory) : write(address, memory);
}

Failure SpiCard::read(std::uint32_t address, std::span<std::uint8_t> memory) {
  if (const Failure failure = command(read_multiple, address)) return failure;
  for (; !memory.empty(); memory = memory.subspan(sector_bytes)) {
    if (const Failure failure = receive_block(memory.first(sector_bytes))) return failure;
  }
  // A read that ends with the card's last sector may be told that the next one is out of range.
  const Failure failure = command(stop_transmission, 0);
  if (failure && failure.error != Error::card_refuses) return failure;
  return wait_until_ready();
}

Failure SpiCard::write(std::uint32_t address, std::span<const std::uint8_t> memory) {
  if (const Failure failure = command(write_multiple, address)) return failure;
  bus_.receive();
  for (; !memory.empty(); memory = memory.subspan(sector_bytes)) {
    if (const Failure failure = send_block(memory.first(sector_bytes))) return failure;
  }
  bus_.exchange(stop_writing);
  bus_.receive();
  if (const Failure failure = wait_until_ready()) return failure;
  // What went wrong in programming is told here alone: the second byte of R2 (7.3.2.3).
  if (const Failure failure = command(send_status, 0)) return failure;
  if (const std::uint8_t status = bus_.receive(); status != 0) return {Error::card_refuses, status};
  return {};
}

Failure SpiCard::receive_block(std::span<std::uint8_t> block) {
  std::uint8_t token = nothing;
  for (std::uint32_t byte = 0; byte < data_deadline_bytes && token == nothing; ++byte)
    token = bus_.receive();
  if (token == nothing) return {Error::data_timeout, sector_};
  if (token != begin_block) return {Error::card_refuses, token};
  for (std::uint8_t& byte : block)
    byte = bus_.receive();
  std::uint32_t checksum = bus_.receive();
  checksum = checksum << 8 | bus_.receive();
  if (checksum != data_checksum(block)) return {Error::data_damaged, sector_};
  return {};
}

Failure SpiCard::send_block(std::span<const std::uint8_t> block) {
  bus_.exchange(begin_block_of_many);
  for (const std::uint8_t byte : block)
    bus_.exchange(byte);
  const std::uint16_t checksum = data_checksum(block);
  bus_.exchange(static_cast<std::uint8_t>(checksum >> 8));
  bus_.exchange(static_cast<std::uint8_t>(checksum));
  std::uint8_t response = nothing;
  for (std::uint32_t byte = 0; byte < response_bytes && response == nothing; ++byte)
    response = bus_.receive();
  if (response == nothing) return {Error::data_timeout, sector_};
  if ((response & data_response) == data_crc) return {Error::data_damaged, sector_};
  if ((response & data_response) != data_accepted) return {Error::card_refuses, response};
  return wait_until_ready();
}

Failure SpiCard::wait_until_ready() {
  for (std::uint32_t byte = 0; byte < data_deadline_bytes; ++byte) {
    if (bus_.receive() == nothing) return {};
  }
  return {Error::data_timeout, sector_};
}

}  // namespace spillway::lm3s
