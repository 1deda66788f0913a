#pragma once

#include <cstdint>
#include <vector>

#include "sim/core/plan.hpp"
#include "sim/tiling/lower.hpp"

/// What a rule decides about one layer, and the parts that rules share. Inside the room only.
namespace spillway::tiling {

/// What a layer may use.
struct Budget {
  std::uint64_t buffer_bytes = 0;
  std::uint32_t input_buffers = 0;  ///< of the input pool
  std::uint32_t element_bytes = 1;
};

/// How one layer is cut. Fields mean what they mean in core::Layer.
struct Cut {
  // Decided by the channels step.
  std::uint32_t tile_channels = 0;
  std::uint32_t chunk_filters = 1, pieces = 1;
  std::uint64_t filter_bytes = 0, piece_bytes = 0;
  std::uint64_t input_buffers = 1;      ///< at most, for one tile; what the pool is checked against
  std::uint64_t accumulator_bytes = 0;  ///< for each pixel of a tile, inside the output buffer
  std::vector<core::Part> parts;
  std::uint32_t element_bytes = 1;
  std::uint32_t plane_channels = 0;
  std::uint16_t weight_pins = 0, output_pins = 0;
  // Decided by the map step.
  std::uint32_t tile_height = 1, tile_width = 1;
};

/// A rule decides in two steps. `channels` cuts what does not depend on the tile's height and width and throws
/// Infeasible when not even a tile of 1 x 1 can be had; `map` then chooses height and width and cannot fail. The first
/// is cheap, so that the smallest feasible buffer is found quickly.
struct RuleSteps {
  Cut (*channels)(const SwapLayer& layer, const Budget& budget);
  void (*map)(const SwapLayer& layer, const Budget& budget, Cut& cut);
  Lowering lowering;
  core::CardLayout layout;
};

extern const RuleSteps paper_rule, paper_counts_rule, halo_rule;

constexpr std::uint64_t ceil_divide(std::uint64_t a, std::uint64_t b) {
  return (a + b - 1) / b;
}

/// The largest divisor of `count` that is at most `limit` (and at least 1).
std::uint32_t largest_divisor(std::uint32_t count, std::uint64_t limit);

/// Input channels that the largest tile of `tile_channels` output channels reads, over all operands.
std::uint64_t channels_read(const SwapLayer& layer, std::uint32_t tile_channels);

/// The largest of `ceil(channels / n)`, n >= `first_groups`, that `fits`; 0 if not even one channel does.
template <class Fits>
std::uint32_t split_channels(std::uint32_t channels, std::uint64_t first_groups, Fits fits) {
  for (std::uint64_t groups = first_groups; groups <= channels; ++groups) {
    const auto size = static_cast<std::uint32_t>(ceil_divide(channels, groups));
    if (fits(size)) return size;
  }
  return 0;
}

/// Cuts sources where they cross a multiple of `step` within their block of `block` channels.
std::vector<core::Part> cut_parts(const std::vector<core::Part>& sources, std::uint32_t block, std::uint32_t step);

}  // namespace spillway::tiling
