#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

/// Frames on a serial line: consistent overhead byte stuffing (Cheshire and Baker, 1999) around a payload and its
/// checksum, ended by a zero byte. A zero byte occurs nowhere else, so a reader finds the next frame after any garbage.
/// Freestanding: firmware compiles it as well.
namespace spillway::trace {

/// Longest payload of a frame; a stuffed frame of at most 254 bytes needs a single byte of overhead.
inline constexpr std::size_t max_payload_bytes = 250;

/// Bytes that a frame of such a payload occupies on the line: overhead, payload, checksum, end.
constexpr std::size_t frame_bytes(std::size_t payload_bytes) {
  return 1 + payload_bytes + 2 + 1;
}

/// CRC-16/CCITT-FALSE: polynomial 0x1021, from 0xFFFF, not reflected. Of "123456789" it is 0x29B1.
constexpr std::uint16_t crc16(std::span<const std::uint8_t> bytes) {
  std::uint32_t crc = 0xFFFF;
  for (const std::uint8_t byte : bytes) {
    crc ^= std::uint32_t{byte} << 8;
    for (int bit = 0; bit < 8; ++bit)
      crc = (crc & 0x8000) != 0 ? crc << 1 ^ 0x1021 : crc << 1;
  }
  return static_cast<std::uint16_t>(crc);
}

/// Writes a frame, its end included, and returns its size. 0: the payload is too long, or `out` too small for it.
constexpr std::size_t encode_frame(std::span<const std::uint8_t> payload, std::span<std::uint8_t> out) {
  if (payload.size() > max_payload_bytes || out.size() < frame_bytes(payload.size())) return 0;
  std::size_t run = 0, size = 1;  // out[run] will hold the distance to the next zero byte
  const auto put = [&](std::uint8_t byte) {
    if (byte == 0) {
      out[run] = static_cast<std::uint8_t>(size - run);
      run = size;
    } else {
      out[size] = byte;
    }
    ++size;
  };
  for (const std::uint8_t byte : payload)
    put(byte);
  const std::uint16_t crc = crc16(payload);
  put(static_cast<std::uint8_t>(crc));
  put(static_cast<std::uint8_t>(crc >> 8));
  out[run] = static_cast<std::uint8_t>(size - run);
  out[size++] = 0;
  return size;
}

/// Reads what stands between two zero bytes and returns the size of the payload. Empty: that is no frame, or a damaged
/// one, or it does not fit into `payload`.
constexpr std::optional<std::size_t> decode_frame(std::span<const std::uint8_t> stuffed,
                                                  std::span<std::uint8_t> payload) {
  constexpr std::size_t checksum_bytes = 2;
  if (stuffed.size() < 1 + checksum_bytes || stuffed.size() > frame_bytes(max_payload_bytes) - 1) return std::nullopt;
  const std::size_t size = stuffed.size() - 1 - checksum_bytes;
  if (payload.size() < size) return std::nullopt;
  std::uint32_t crc = 0;
  std::size_t zero = stuffed[0];  // place of the next zero byte
  for (std::size_t i = 1; i < stuffed.size(); ++i) {
    std::uint8_t byte = stuffed[i];
    if (i == zero) {
      zero = i + byte;
      byte = 0;
    }
    if (i - 1 < size)
      payload[i - 1] = byte;
    else
      crc |= std::uint32_t{byte} << 8 * (i - 1 - size);
  }
  if (zero != stuffed.size() || crc16(payload.first(size)) != crc) return std::nullopt;
  return size;
}

}  // namespace spillway::trace
