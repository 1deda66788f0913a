#pragma once

#include <cstdint>
#include <string_view>

#include "hw/stm32/errors.hpp"
#include "sim/trace/wire.hpp"

/// What the firmware says on the serial port: messages of sim/trace/wire.hpp. From thread and PendSV, not from other
/// interrupts.
namespace spillway::stm32 {

/// The first message.
void report_start(std::string_view program, std::uint32_t plan_hash);

void report(const trace::Record& record);
void report(const trace::PoolLevels& levels);
void report(std::string_view name, std::uint64_t value);
void report(std::string_view line);

/// The last message. Sends everything, switches the light on where all is well, tells an emulator or debugger the code
/// by semihosting (without one, that call returns: startup.cpp), and sleeps for ever.
[[noreturn]] void end(Failure failure);

/// Ends if there is a failure.
inline void end_if(Failure failure) {
  if (failure) end(failure);
}

}  // namespace spillway::stm32
