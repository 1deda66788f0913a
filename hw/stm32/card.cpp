#include "hw/stm32/card.hpp"

#include "hw/stm32/card_size.hpp"

namespace spillway::stm32 {
namespace {

using namespace card_status;

/// Commands of the SD Physical Layer specification, 4.7.4.
constexpr std::uint32_t go_idle = 0, all_send_cid = 2, send_relative_address = 3, set_bus_width = 6, select_card = 7,
                        send_interface_condition = 8, send_csd = 9, stop_transmission = 12, send_status = 13,
                        set_block_length = 16, read_multiple = 18, write_multiple = 25, send_operating_condition = 41,
                        application = 55;

/// 2.7 to 3.6 V and the check pattern that the card echoes.
constexpr std::uint32_t interface_condition = 0x1AA;
/// All voltages from 2.7 V; the host takes cards that count in sectors.
constexpr std::uint32_t operating_condition = 0x40FF8000, powered_up = 1u << 31, counts_sectors = 1u << 30;

/// Status of the card (4.10.1): error bits, and the state with READY_FOR_DATA.
constexpr std::uint32_t status_errors = 0xFDF9A008, status_state = 0x1F00, ready_in_transfer = 4u << 9 | 1u << 8;

constexpr std::uint32_t power_on = 3, clock_on = 1u << 8, four_lines = 1u << 11, state_machine_on = 1u << 10;
constexpr std::uint32_t data_on = 1u << 0, to_host = 1u << 1, by_dma = 1u << 3, sector_blocks = 9u << 4;

constexpr std::uint32_t command_deadline_us = 10'000, power_up_deadline_us = 1'000'000, poll_us = 100;
constexpr std::uint32_t data_timeout_divider = 2;  // half a second, the longest that the specification allows a card

}  // namespace

void Card::issue(std::uint32_t command, std::uint32_t argument, Response response) {
  answered_ = false;
  registers_.icr = all & ~(step_ == Step::read ? data_end | data_errors : 0);
  registers_.arg = argument;
  registers_.cmd = command | static_cast<std::uint32_t>(response) << 6 | state_machine_on;
}

Failure Card::command_failure(std::uint32_t status) const {
  const std::uint32_t command = registers_.cmd & 63;
  if ((status & no_response) != 0) return {Error::card_silent, command};
  if ((status & response_damaged) != 0) return {Error::command_damaged, command};
  return {};
}

/// Issues a command and waits for its end.
Failure Card::command(std::uint32_t command, std::uint32_t argument, Response response) {
  issue(command, argument, response);
  const std::uint32_t begin = port_.now_us();
  const std::uint32_t ends = command_errors | (response == Response::none ? sent : card_status::response);
  std::uint32_t status = 0;
  do {
    if (port_.now_us() - begin > command_deadline_us) return {Error::deadline, command};
    status = registers_.sta;
  } while ((status & ends) == 0);
  // This response has no checksum: the registers of the STM32 say that it is wrong, those of the PL181 do not.
  if (command == send_operating_condition && (status & response_damaged) != 0) return {};
  return command_failure(status);
}

Failure Card::application_command(std::uint32_t number, std::uint32_t argument) {
  if (const Failure failure = command(application, address_, Response::brief)) return failure;
  return command(number, argument, Response::brief);
}

Failure Card::power_up() {
  const std::uint32_t begin = port_.now_us();
  do {
    if (port_.now_us() - begin > power_up_deadline_us) return {Error::card_unusable, registers_.resp[0]};
    if (const Failure failure = application_command(send_operating_condition, operating_condition)) return failure;
  } while ((registers_.resp[0] & powered_up) == 0);
  counts_sectors_ = (registers_.resp[0] & counts_sectors) != 0;
  return {};
}

Failure Card::identify(const CardClocks& clocks) {
  registers_.power = power_on;
  registers_.clkcr = clocks.identification | clock_on;
  address_ = 0;
  // A card may need a millisecond and 74 clocks after the power (6.4.1).
  for (const std::uint32_t begin = port_.now_us(); port_.now_us() - begin < 2000;) {
  }
  if (const Failure failure = command(go_idle, 0, Response::none)) return failure;
  if (const Failure failure = command(send_interface_condition, interface_condition, Response::brief)) return failure;
  if ((registers_.resp[0] & 0xFFF) != interface_condition) return {Error::card_unusable, registers_.resp[0]};
  if (const Failure failure = power_up()) return failure;
  if (const Failure failure = command(all_send_cid, 0, Response::large)) return failure;
  if (const Failure failure = command(send_relative_address, 0, Response::brief)) return failure;
  address_ = registers_.resp[0] & 0xFFFF0000;
  if (const Failure failure = command(send_csd, address_, Response::large)) return failure;
  sectors_ = sectors_of({registers_.resp[0], registers_.resp[1], registers_.resp[2], registers_.resp[3]});
  if (const Failure failure = command(select_card, address_, Response::brief)) return failure;
  if (const Failure failure = command(set_block_length, sector_bytes, Response::brief)) return failure;
  if (clocks.wide) {
    if (const Failure failure = application_command(set_bus_width, 2)) return failure;
  }
  registers_.clkcr = clocks.transfer | (clocks.wide ? four_lines : 0) | clock_on;
  timeout_clocks_ = clocks.transfer_hz / data_timeout_divider;
  return {};
}

void Card::configure_data() {
  registers_.dtimer = timeout_clocks_;
  registers_.dlen = count_ * sector_bytes;
  registers_.dctrl = sector_blocks | by_dma | (direction_ == Direction::to_memory ? to_host : 0) | data_on;
}

Failure Card::start(Direction direction, std::uint32_t sector, std::uint32_t sectors, void* memory) {
  if (sector >= sectors_ || sectors > sectors_ - sector) return result_ = {Error::beyond_card, sector};
  direction_ = direction;
  sector_ = sector;
  count_ = sectors;
  data_ended_ = false;
  result_ = {};
  begin_us_ = port_.now_us();
  registers_.icr = all;
  if (const Failure failure = port_.begin(direction, memory, sectors * sector_bytes)) {
    port_.end(false);
    return result_ = failure;
  }
  port_.set_alarm(deadline_us);
  const std::uint32_t argument = counts_sectors_ ? sector : sector * sector_bytes;
  // The card sends as soon as it can: the way for the data must be open before. For a write it opens after the
  // response.
  if (direction == Direction::to_memory) configure_data();
  step_ = direction == Direction::to_memory ? Step::read : Step::write_command;
  issue(direction == Direction::to_memory ? read_multiple : write_multiple, argument, Response::brief);
  registers_.mask = command_errors | response | data_errors | data_end;
  return {};
}

Failure Card::data_failure(std::uint32_t status) const {
  if ((status & data_damaged) != 0) return {Error::data_damaged, sector_};
  if ((status & data_timeout) != 0) return {Error::data_timeout, sector_};
  if ((status & (overrun | underrun)) != 0) return {Error::data_overrun, sector_};
  if (port_.broken()) return {Error::dma_fault, sector_};
  return {};
}

void Card::interrupt() {
  if (step_ == Step::idle || step_ == Step::wait) return;
  const std::uint32_t status = registers_.sta;
  port_.serve(status);
  advance(status);
}

void Card::advance(std::uint32_t status) {
  if (const Failure failure = command_failure(status)) return finish(failure);
  if (const Failure failure = data_failure(status)) return finish(failure);
  // What has been seen must not call again: the flags of the data stay where the way for it is still to be opened.
  registers_.icr = status & (response | data_end | block_end);
  if ((status & data_end) != 0) data_ended_ = true;
  if ((status & response) != 0) {
    answered_ = true;
    // A read that ends with the card's last sector is told that the next one is out of range.
    const bool end_of_read = step_ == Step::stop && direction_ == Direction::to_memory;
    if (!end_of_read && (registers_.resp[0] & status_errors) != 0)
      return finish({Error::card_refuses, registers_.resp[0]});
    answered();
  }
  if ((step_ == Step::read || step_ == Step::write) && answered_ && data_ended_ && port_.moved()) stop_transfer();
}

/// A response has come.
void Card::answered() {
  if (step_ == Step::write_command) {
    step_ = Step::write;
    configure_data();
  } else if (step_ == Step::stop) {
    if (direction_ == Direction::to_memory)
      finish({});
    else
      ask();
  } else if (step_ == Step::ask) {
    if ((registers_.resp[0] & status_state) == ready_in_transfer) return finish({});
    // No interrupt tells the end of programming: ask again in a while.
    step_ = Step::wait;
    port_.set_alarm(poll_us);
  }
}

void Card::stop_transfer() {
  step_ = Step::stop;
  issue(stop_transmission, 0, Response::brief);
}

void Card::ask() {
  step_ = Step::ask;
  port_.set_alarm(deadline_us);
  issue(send_status, address_, Response::brief);
}

void Card::alarm() {
  if (step_ == Step::idle) return;
  if (step_ == Step::wait && port_.now_us() - begin_us_ < deadline_us) return ask();
  finish({Error::deadline, sector_});
}

void Card::finish(Failure failure) {
  registers_.mask = 0;
  registers_.dctrl = 0;
  port_.cancel_alarm();
  port_.end(!failure);
  result_ = failure;
  step_ = Step::idle;
}

}  // namespace spillway::stm32
