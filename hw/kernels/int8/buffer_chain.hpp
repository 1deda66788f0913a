#pragma once

#include <cstdint>

namespace spillway::int8 {

/// Bytes that run on over buffers of one size which do not lie beside each other: byte b is
/// buffers[b / buffer_bytes][b % buffer_bytes].
struct BufferChain {
  const std::int8_t* const* buffers = nullptr;
  std::uint32_t buffer_bytes = 0;

  const std::int8_t* at(std::uint32_t byte) const { return buffers[byte / buffer_bytes] + byte % buffer_bytes; }

  /// Bytes from this one to the end of its buffer: how far at() may be read on.
  std::uint32_t left(std::uint32_t byte) const { return buffer_bytes - byte % buffer_bytes; }
};

}  // namespace spillway::int8
