#include <cstdint>
#include <optional>

#include "hw/hil/responder.hpp"
#include "hw/stm32/board.hpp"
#include "hw/stm32/card_check.hpp"
#include "hw/stm32/network.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/serial.hpp"
#include "hw/stm32/serial_inbox.hpp"

/// A network's scheduler (network.hpp) in lockstep with a host, which says on the serial port what has ended: nothing
/// is moved or computed, and no card is needed.
namespace {

using namespace spillway;
using namespace spillway::stm32;

// Not on the stack: that is for what nobody can count beforehand.
std::optional<hil::Responder> responder;

std::uint8_t wait_for_byte() {
  for (;;) {
    const InterruptsOff alone;
    if (const std::optional<std::uint8_t> byte = received_byte()) return *byte;
    sleep();
  }
}

Failure failure_of(hil::StopCode code) {
  switch (code) {
    case hil::StopCode::well:
      return {};
    case hil::StopCode::difference:
      return {Error::lockstep_parted};
    case hil::StopCode::given_up:
      break;
  }
  return {Error::lockstep_given_up};
}

}  // namespace

extern "C" void image_main() {
  start_board(network.name, static_cast<std::uint32_t>(network.identity.plan));
  end_if(check_plan(network));
  responder.emplace(network.plan, network.identity.plan, network.name, network.scheduler_words, cycles);
  listen_to_serial();
  while (!responder->stopped()) {
    if (const auto answer = responder->take(wait_for_byte()); !answer.empty()) send(answer);
  }
  report("serial_losses", serial_losses());
  end(failure_of(*responder->stopped()));
}
