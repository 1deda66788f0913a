#include "sim/tiling/refusal.hpp"

#include <fmt/format.h>

namespace spillway::tiling {

std::string format_bytes(std::uint64_t bytes) {
  if (bytes != 0 && bytes % 1024 == 0) return fmt::format("{} KiB", bytes / 1024);
  return fmt::format("{} bytes", bytes);
}

Infeasible exceeds_buffer(const SwapLayer& layer, std::string_view what, std::uint64_t demand, std::uint64_t buffer) {
  return {layer.name, demand, buffer,
          fmt::format("layer `{}`: {} takes {}, a buffer has {}", layer.name, what, format_bytes(demand),
                      format_bytes(buffer))};
}

}  // namespace spillway::tiling
