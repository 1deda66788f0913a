#pragma once

#include <cstdint>
#include <optional>

/// Bytes that come on USART1 (serial.hpp), for images that listen.
namespace spillway::stm32 {

/// Bytes that wait to be taken: more than the longest frame of a host that waits for its answer.
inline constexpr std::uint32_t serial_inbox_bytes = 512;

/// From here on bytes that come are kept.
void listen_to_serial();

/// The next byte that has come, if one has.
std::optional<std::uint8_t> received_byte();

/// How often bytes were lost because nobody took them in time.
std::uint32_t serial_losses();

}  // namespace spillway::stm32
