#include "hw/stm32/caches.hpp"

#include <cstdint>

#include "hw/stm32/processor.hpp"
#include "hw/stm32/registers.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t instruction_cache_on = 1u << 17, data_cache_on = 1u << 16;

/// Calls for the first address of every line of a range.
template <class Operation>
void for_each_line(const void* begin, std::size_t bytes, Operation operation) {
  data_barrier();
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  for (std::uintptr_t line = first & ~(cache_line_bytes - 1); line < first + bytes; line += cache_line_bytes)
    operation(line);
  data_barrier();
  instruction_barrier();
}

void invalidate_all_data() {
  at<Register>(0xE000ED84) = 0;  // CSSELR: the first data cache
  data_barrier();
  const std::uint32_t size = at<Register>(0xE000ED80);  // CCSIDR
  const std::uint32_t sets = size >> 13 & 0x7FFF, ways = size >> 3 & 0x3FF;
  for (std::uint32_t set = 0; set <= sets; ++set) {
    for (std::uint32_t way = 0; way <= ways; ++way)
      cache_maintenance().dcisw = way << 30 | set << 5;
  }
  data_barrier();
}

}  // namespace

void enable_caches() {
  data_barrier();
  instruction_barrier();
  cache_maintenance().iciallu = 0;
  data_barrier();
  instruction_barrier();
  invalidate_all_data();
  system_control().ccr = system_control().ccr | instruction_cache_on | data_cache_on;
  data_barrier();
  instruction_barrier();
}

void clean(const void* begin, std::size_t bytes) {
  for_each_line(begin, bytes, [](std::uintptr_t line) { cache_maintenance().dccmvac = line; });
}

void invalidate(void* begin, std::size_t bytes) {
  for_each_line(begin, bytes, [](std::uintptr_t line) { cache_maintenance().dcimvac = line; });
}

}  // namespace spillway::stm32
