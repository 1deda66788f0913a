#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "sim/core/plan.hpp"
#include "sim/tiling/cut.hpp"
#include "sim/tiling/lower.hpp"
#include "sim/tiling/planes.hpp"

/// The search of rule `min-traffic` within one row of the plan. Inside the room only.
namespace spillway::tiling {

/// What a way to cut a row costs for one frame. Fewer bytes are better, then fewer operations, then no pins.
struct RowCost {
  std::uint64_t bytes = 0, operations = 0;
  bool pins = false;

  friend auto operator<=>(const RowCost&, const RowCost&) = default;  // NOLINT(modernize-use-nullptr): clang-tidy 14
};

struct RowChoice {
  RowCost cost;
  Cut cut;
};

/// Where a row's input comes from and its output goes to.
enum class Passing : std::uint8_t {
  card,          ///< both lie on the card
  keeps_output,  ///< the output stays in SRAM for the next row
  reads_kept,    ///< the previous row's output has stayed in SRAM
};

/// Everything that a search looks at.
struct RowProblem {
  const std::vector<SwapLayer>* layers = nullptr;
  std::size_t row = 0;
  const Planes* planes = nullptr;
  core::Pools pools;
  std::uint64_t buffer_bytes = 0;
  std::uint32_t element_bytes = 1;
  bool pins = true;  ///< whether weights and outputs may stay in SRAM beyond a tile
  Passing passing = Passing::card;

  const SwapLayer& layer() const { return (*layers)[row]; }
};

/// The cheapest of all tile shapes, cuts of the filters, chunks, and loop orders; nothing where none fits.
std::optional<RowChoice> cheapest(const RowProblem& problem);

}  // namespace spillway::tiling
