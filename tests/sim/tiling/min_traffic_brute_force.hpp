#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "min_traffic_card.hpp"

#include "sim/tiling/lower.hpp"

/// The least bytes that rule min-traffic may move, found by trying everything. It knows the rule from its definition
/// only and takes nothing but the lowered layers from the product.
namespace spillway::least_traffic {

/// What a plan is made for.
struct Device {
  std::uint64_t sram_bytes = 0, buffer_bytes = 0;
  std::uint32_t element_bytes = 1;
};

/// What a plan costs in one frame: bytes first, then IO tasks.
struct Cost {
  std::uint64_t bytes = 0, tasks = 0;

  friend Cost operator+(const Cost& a, const Cost& b) { return {a.bytes + b.bytes, a.tasks + b.tasks}; }
  friend auto operator<=>(const Cost&, const Cost&) = default;
};

/// The least over the channel blocks of the maps, and of every layer over its tile (channels, height, width), the
/// filters of a chunk or the step of its pieces, the loop order and the outputs that are kept; nothing where no choice
/// is possible. Meant for layers of a few hundred elements.
std::optional<Cost> least_cost(const std::vector<tiling::SwapLayer>& layers, const MapShape& network_input,
                               const Device& device);

}  // namespace spillway::least_traffic
