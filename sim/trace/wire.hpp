#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "sim/trace/frame.hpp"
#include "sim/trace/record.hpp"

/// The trace as a device sends it while it runs: messages in frames (frame.hpp). README.md describes the bytes.
/// Freestanding: firmware compiles it as well.
namespace spillway::trace {

inline constexpr std::uint8_t wire_version = 1;

/// First byte of a message.
enum class MessageType : std::uint8_t {
  start = 1,   ///< StartMessage: a program has begun
  record = 2,  ///< Record
  pools = 3,   ///< PoolLevels
  value = 4,   ///< ValueMessage: a figure with its name
  text = 5,    ///< a line for people
  end = 6,     ///< EndMessage: the program is done or has failed
};

/// What runs. The first message of a program; its number is 0.
struct StartMessage {
  std::uint32_t clock_hz = 0;   ///< of the device's processor
  std::uint32_t plan_hash = 0;  ///< of the plan that it executes; 0: none
  std::string_view program;     ///< at most 100 bytes
};

/// A figure, such as a count or a size.
struct ValueMessage {
  std::uint64_t value = 0;
  std::string_view name;  ///< with its unit at the end (`stack_bytes`); at most 100 bytes
};

/// How a program ended.
struct EndMessage {
  std::uint8_t code = 0;      ///< 0: well; else the device's error code
  std::uint32_t detail = 0;   ///< what the code's explanation says
  std::uint32_t dropped = 0;  ///< messages that the device could not send
};

/// A message in the making: type, number and what follows, in little-endian bytes and variable-length integers.
class MessageBytes {
 public:
  constexpr MessageBytes(MessageType type, std::uint16_t number) {
    put_byte(static_cast<std::uint8_t>(type));
    put_byte(static_cast<std::uint8_t>(number));
    put_byte(static_cast<std::uint8_t>(number >> 8));
  }

  constexpr void put_byte(std::uint8_t byte) {
    if (size_ < bytes_.size()) bytes_[size_++] = byte;
  }

  /// Seven bits to a byte, the lowest first; the highest bit says that more follow (LEB128).
  constexpr void put_integer(std::uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      put_byte(static_cast<std::uint8_t>(value | 0x80));
    put_byte(static_cast<std::uint8_t>(value));
  }

  /// At most `max_text_bytes` of it.
  constexpr void put_text(std::string_view text) {
    for (const char character : text.substr(0, max_text_bytes))
      put_byte(static_cast<std::uint8_t>(character));
  }

  constexpr std::span<const std::uint8_t> view() const { return {bytes_.data(), size_}; }

  static constexpr std::size_t max_text_bytes = 100;

 private:
  /// Type, number, at most seven integers of ten bytes, a text.
  std::array<std::uint8_t, 3 + 70 + max_text_bytes> bytes_{};
  std::size_t size_ = 0;
};

constexpr MessageBytes message(std::uint16_t number, const StartMessage& start) {
  MessageBytes bytes(MessageType::start, number);
  bytes.put_byte(wire_version);
  bytes.put_integer(start.clock_hz);
  bytes.put_integer(start.plan_hash);
  bytes.put_text(start.program);
  return bytes;
}

constexpr MessageBytes message(std::uint16_t number, const Record& record) {
  MessageBytes bytes(MessageType::record, number);
  bytes.put_byte(static_cast<std::uint8_t>(record.task.kind));
  bytes.put_integer(record.task.frame);
  bytes.put_integer(record.task.layer);
  bytes.put_integer(record.task.tile);
  bytes.put_integer(record.task.index);
  bytes.put_integer(record.start_ns);
  bytes.put_integer(record.end_ns - record.start_ns);
  bytes.put_integer(record.bytes);
  return bytes;
}

constexpr MessageBytes message(std::uint16_t number, const PoolLevels& levels) {
  MessageBytes bytes(MessageType::pools, number);
  bytes.put_integer(levels.time_ns);
  bytes.put_integer(levels.input);
  bytes.put_integer(levels.weights);
  bytes.put_integer(levels.output);
  return bytes;
}

constexpr MessageBytes message(std::uint16_t number, const ValueMessage& value) {
  MessageBytes bytes(MessageType::value, number);
  bytes.put_integer(value.value);
  bytes.put_text(value.name);
  return bytes;
}

constexpr MessageBytes message(std::uint16_t number, std::string_view text) {
  MessageBytes bytes(MessageType::text, number);
  bytes.put_text(text);
  return bytes;
}

constexpr MessageBytes message(std::uint16_t number, const EndMessage& end) {
  MessageBytes bytes(MessageType::end, number);
  bytes.put_byte(end.code);
  bytes.put_integer(end.detail);
  bytes.put_integer(end.dropped);
  return bytes;
}

}  // namespace spillway::trace
