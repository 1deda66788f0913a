#pragma once

#include <cstddef>

/// The data cache lies between the core and SRAM; DMA goes past it. Both tightly coupled memories have none.
namespace spillway::stm32 {

/// Memory for DMA begins and ends at a multiple of this, or a line would be shared with something else.
inline constexpr std::size_t cache_line_bytes = 32;

/// Turns both caches on, write-back (write-through loses stores on this revision of the core: ST's errata ES0290).
void enable_caches();

/// Puts what the core has written into memory, before DMA reads it.
void clean(const void* begin, std::size_t bytes);

/// Forgets what the cache holds. Before DMA writes: or a line would be written back over what came in. Afterwards: the
/// core may have read ahead.
void invalidate(void* begin, std::size_t bytes);

}  // namespace spillway::stm32
