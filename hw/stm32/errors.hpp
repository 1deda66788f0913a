#pragma once

#include <cstdint>
#include <string_view>

/// What the firmware reports when it cannot go on: the code of the end message on the serial port, and the exit status
/// under an emulator or debugger.
namespace spillway::stm32 {

// clang-format off
/// A list of everything that can end the firmware, the code of each, and what it means.
#define SPILLWAY_STM32_ERRORS(error)                                                                               \
  error(hard_fault, 10, "the core faulted; the detail is the address of the instruction")                          \
  error(unexpected_interrupt, 11, "an interrupt that nobody serves; the detail is its number")                     \
  error(stack_overflow, 12, "the stack has grown into the data")                                                   \
  error(oscillator, 16, "the 25 MHz crystal does not start")                                                       \
  error(over_drive, 17, "the over-drive that 216 MHz needs is not on")                                             \
  error(pll, 18, "the PLL does not lock")                                                                          \
  error(wait_states, 19, "the flash has fewer wait states than the clock needs; the detail is how many")           \
  error(clock_switch, 20, "the core does not run from the PLL at 216 MHz; the detail is its frequency in Hz")      \
  error(clock_ratio, 21, "cycle counter and timer disagree about the clock; the detail is cycles of 1,000 ticks")  \
  error(no_card, 32, "no card in the slot")                                                                        \
  error(card_silent, 33, "the card does not answer; the detail is the command")                                    \
  error(card_unusable, 34, "not an SD card of version 2 or later; the detail is the response")                     \
  error(command_damaged, 35, "the checksum of a response is wrong; the detail is the command")                     \
  error(card_refuses, 36, "the card refuses a command; the detail is its status")                                  \
  error(data_damaged, 37, "the checksum of transferred data is wrong; the detail is the first sector")             \
  error(data_timeout, 38, "the card sends or takes no data; the detail is the first sector")                       \
  error(data_overrun, 39, "nobody emptied or filled the FIFO in time; the detail is the first sector")             \
  error(dma_refused, 40, "the DMA stream does not start; the detail is its flags")                                 \
  error(dma_fault, 41, "the DMA stream cannot reach the memory; the detail is the first sector")                   \
  error(deadline, 42, "an operation on the card took longer than its deadline; the detail is the first sector")    \
  error(beyond_card, 43, "a sector beyond the end of the card; the detail is its number")                          \
  error(misaligned, 44, "memory that DMA cannot use; the detail is its address")                                   \
  error(verification, 48, "what was read is not what was written; the detail is the first sector")                 \
  error(no_image, 64, "the card has no image of a network")                                                        \
  error(image_version, 65, "the card's image has another version; the detail is that version")                     \
  error(image_damaged, 66, "the card's image is damaged")                                                          \
  error(other_plan, 67, "the card was made for another plan; the detail is that plan's hash")                      \
  error(image_truncated, 68, "the card is smaller than its image; the detail is the image's sectors")              \
  error(plan_damaged, 69, "the plan in flash is not the one that was built; the detail is its hash")               \
  error(plan_refused, 72, "the scheduler refuses the plan; the detail is its reason")                              \
  error(plan_stalled, 73, "no task can start and the plan is not done")                                            \
  error(task_refused, 74, "the scheduler did not expect the end of a task; the detail is its reason")              \
  error(memory_small, 75, "the plan needs more memory than the image has; the detail is its bytes")                \
  error(lockstep_parted, 80, "the host has seen a decision that differs from its own")                             \
  error(lockstep_given_up, 81, "the host has given the run up")
// clang-format on

enum class Error : std::uint8_t {
  none = 0,
#define SPILLWAY_STM32_VALUE(name, code, meaning) name = code,
  SPILLWAY_STM32_ERRORS(SPILLWAY_STM32_VALUE)
#undef SPILLWAY_STM32_VALUE
};

/// An error with the number that its explanation speaks of.
struct Failure {
  Error error = Error::none;
  std::uint32_t detail = 0;

  constexpr explicit operator bool() const { return error != Error::none; }
};

/// What an error means; empty for a code that there is not.
constexpr std::string_view explanation(Error error) {
  switch (error) {
    case Error::none:
      return "done";
#define SPILLWAY_STM32_TEXT(name, code, meaning) \
  case Error::name:                              \
    return meaning;
      SPILLWAY_STM32_ERRORS(SPILLWAY_STM32_TEXT)
#undef SPILLWAY_STM32_TEXT
  }
  return {};
}

#undef SPILLWAY_STM32_ERRORS

}  // namespace spillway::stm32
