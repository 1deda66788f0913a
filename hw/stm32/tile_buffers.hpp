#pragma once

#include <cstddef>
#include <span>

extern "C" {
extern std::byte tile_buffers_begin[], tile_buffers_end[];
}

namespace spillway::stm32 {

/// The memory for tile buffers, in SRAM1 and SRAM2; the linker decides how much there is.
inline std::span<std::byte> tile_buffers() {
  return {tile_buffers_begin, tile_buffers_end};
}

}  // namespace spillway::stm32
