#include "sim/tiling/min_traffic.hpp"

#include "sim/tiling/builder.hpp"
#include "sim/tiling/planes.hpp"
#include "sim/tiling/row_search.hpp"

namespace spillway::tiling {
namespace {

/// The rows up to one, and what they cost together.
struct Prefix {
  RowCost cost;
  std::vector<Cut> cuts;
};

void append(Prefix& prefix, const RowChoice& choice) {
  prefix.cost.bytes += choice.cost.bytes;
  prefix.cost.operations += choice.cost.operations;
  prefix.cost.pins |= choice.cost.pins;
  prefix.cuts.push_back(choice.cut);
}

/// Whether a row's output can stay in SRAM for the next row: nobody else reads it, and every tile of the next row
/// either reads all that it needs from it or reads something else too.
bool can_keep(const std::vector<SwapLayer>& layers, std::size_t row) {
  if (row + 1 == layers.size()) return false;
  for (std::size_t reader = row + 1; reader < layers.size(); ++reader) {
    bool reads = false, reads_others = false;
    for (const core::Part& part : layers[reader].sources)
      (part.producer == row ? reads : reads_others) = true;
    if (reads != (reader == row + 1)) return false;
    if (reads && reads_others && layers[reader].channelwise && layers[reader].operands == 1) return false;
  }
  return true;
}

/// Rows matter to each other only in pairs, one that keeps its output and one that reads it.
std::optional<Prefix> cheapest_rows(RowProblem problem) {
  const std::vector<SwapLayer>& layers = *problem.layers;
  const auto choose = [&problem](std::size_t row, Passing passing) {
    problem.row = row;
    problem.passing = passing;
    return cheapest(problem);
  };
  std::optional<Prefix> before, now = Prefix{};  // without the last row, with it
  for (std::size_t row = 0; row < layers.size(); ++row) {
    std::optional<Prefix> next;
    if (now) {
      if (const auto choice = choose(row, Passing::card)) {
        next = now;
        append(*next, *choice);
      }
    }
    if (problem.pins && row > 0 && before && can_keep(layers, row - 1)) {
      const auto keeper = choose(row - 1, Passing::keeps_output);
      const auto reader = keeper ? choose(row, Passing::reads_kept) : std::nullopt;
      if (reader) {
        Prefix pair = *before;
        append(pair, *keeper);
        append(pair, *reader);
        if (!next || pair.cost < next->cost) next = std::move(pair);
      }
    }
    before = std::move(now);
    now = std::move(next);
    if (!before && !now) return {};
  }
  return now;
}

/// Makes a layer that keeps its output wait for whatever else the reader needs: otherwise the layer could hold its pins
/// while that waits for them. A part without channels is a wait and nothing else.
void wait_for_other_inputs(std::vector<SwapLayer>& layers, std::size_t row, Cut& cut) {
  for (const core::Part& other : layers[row + 1].sources) {
    if (other.producer == core::network_input || other.producer == row) continue;
    const core::Part wait{0, 0, 0, other.producer};
    cut.parts.push_back(wait);
    layers[row].sources.push_back(wait);
  }
}

}  // namespace

std::optional<SwapPlan> least_traffic(const SwapPlan& empty, const std::vector<SwapLayer>& layers,
                                      const Budget& budget) {
  // Pins are within the scheduler's claim of no deadlock only so.
  const bool pins = !empty.pools.shared && empty.request.queue == core::Queue::skip;
  std::optional<Prefix> best;
  Planes best_planes;
  for (const std::uint32_t limit : plane_limits) {
    const Planes planes = planes_of(layers, budget.element_bytes, limit);
    auto rows = cheapest_rows({&layers, 0, &planes, empty.pools, budget.buffer_bytes, budget.element_bytes, pins});
    if (!rows || (best && !(rows->cost < best->cost))) continue;
    best = std::move(rows);
    best_planes = planes;
  }
  if (!best) return {};
  SwapPlan plan = empty;
  plan.layout = core::CardLayout::planes;
  plan.input_channels = best_planes.input_channels;
  plan.input_height = best_planes.input_height;
  plan.input_width = best_planes.input_width;
  plan.input_plane_channels = best_planes.input_plane;
  std::vector<SwapLayer> linked = layers;
  for (std::size_t row = 0; row < layers.size(); ++row) {
    if (best->cuts[row].output_pins != 0) wait_for_other_inputs(linked, row, best->cuts[row]);
  }
  Builder builder(plan, linked);
  for (std::size_t row = 0; row < layers.size(); ++row)
    builder.add(linked[row], best->cuts[row]);
  return plan;
}

}  // namespace spillway::tiling
