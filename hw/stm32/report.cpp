#include "hw/stm32/report.hpp"

#include <array>
#include <cstddef>
#include <new>

#include "hw/stm32/clock.hpp"
#include "hw/stm32/pins.hpp"
#include "hw/stm32/processor.hpp"
#include "hw/stm32/semihosting.hpp"
#include "hw/stm32/serial.hpp"
#include "hw/stm32/stack.hpp"
#include "sim/trace/frame.hpp"

namespace spillway::stm32 {
namespace {

std::uint16_t next_number = 0;

template <class Content>
void send_message(const Content& content) {
  const InterruptsOff alone;
  // Not on the stack, which is deepest here. The message is made in its place.
  alignas(trace::MessageBytes) static std::byte place[sizeof(trace::MessageBytes)];
  static std::array<std::uint8_t, trace::frame_bytes(trace::max_payload_bytes)> frame;
  const auto* message = ::new (place) trace::MessageBytes(trace::message(next_number++, content));
  const std::size_t size = trace::encode_frame(message->view(), frame);
  send(std::span(frame).first(size));
}

}  // namespace

void report_start(std::string_view program, std::uint32_t plan_hash) {
  send_message(trace::StartMessage{core_hz, plan_hash, program});
}

void report(const trace::Record& record) {
  send_message(record);
}

void report(const trace::PoolLevels& levels) {
  send_message(levels);
}

void report(std::string_view name, std::uint64_t value) {
  send_message(trace::ValueMessage{value, name});
}

void report(std::string_view line) {
  send_message(line);
}

void end(Failure failure) {
  if (failure) report(explanation(failure.error));
  report("deepest_stack_bytes", deepest_stack_bytes());
  report("serial_waits", serial_waits());
  send_message(trace::EndMessage{static_cast<std::uint8_t>(failure.error), failure.detail, 0});
  flush_serial();
  const InterruptsOff alone;
  switch_light(!failure);
  tell_debugger(static_cast<std::uint32_t>(failure.error));
  for (;;)
    sleep();
}

}  // namespace spillway::stm32
