#include "hw/swap/extents.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "random_case.hpp"
#include "random_network.hpp"
#include <gtest/gtest.h>

#include "hw/swap/card_map.hpp"
#include "hw/swap/image/storage_order.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::Plan;
using core::Task;
using core::TaskKind;

/// Calls `take` for every IO task of a plan.
template <class Take>
void for_each_io_task(const Plan& plan, const Take& take) {
  for (std::uint32_t frame = 0; frame < plan.frames; ++frame) {
    for (std::uint32_t row = 0; row < plan.layers.size(); ++row) {
      const core::Layer& layer = plan.layers[row];
      for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
        const auto number = static_cast<core::LayerIndex>(row);
        for (std::uint32_t part = 0; part < layer.parts; ++part)
          take(Task{frame, tile, part, number, TaskKind::read_input});
        for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk)
          take(Task{frame, tile, chunk, number, TaskKind::read_weights});
        take(Task{frame, tile, 0, number, TaskKind::write_output});
      }
    }
  }
}

/// The least sector and the one behind the last, of all that a task moves.
struct Bounds {
  std::uint32_t first = 0xFFFFFFFF, last = 0;
};

/// Where a task may touch the card.
Bounds allowed(const Plan& plan, const CardMap& map, const Task& task) {
  const core::Layer& layer = plan.layers[task.layer];
  if (task.kind == TaskKind::read_weights) {
    const std::uint32_t first = map.layers[task.layer].weights;
    return {first, first + static_cast<std::uint32_t>(weight_sectors(layer))};
  }
  if (task.kind == TaskKind::write_output) {
    const std::uint32_t first = map.map_of(plan, task.layer, task.frame);
    return {first, first + static_cast<std::uint32_t>(map_sectors(layer, plan.layout))};
  }
  const core::LayerIndex producer = plan.parts[layer.first_part + task.index].producer;
  if (producer == core::network_input) return {map.input_of(task.frame), map.input_of(task.frame) + map.input_sectors};
  const std::uint32_t first = map.map_of(plan, producer, task.frame);
  return {first, first + static_cast<std::uint32_t>(map_sectors(plan.layers[producer], plan.layout))};
}

void expect_charged_extents(const Plan& plan) {
  std::vector<LayerPlace> places(plan.layers.size());
  const CardMap map = lay_out(plan, places);
  ASSERT_GT(map.sectors, 0U);
  for_each_io_task(plan, [&](const Task& task) {
    ExtentWalk walk(plan, map, task);
    Extent extent;
    std::uint64_t sectors = 0, wanted = 0;
    const Bounds bounds = allowed(plan, map, task);
    while (walk.next(extent)) {
      sectors += extent.sectors;
      wanted += std::uint64_t{extent.rows} * extent.columns * extent.run;
      if (extent.sectors == 0) continue;
      ASSERT_GE(extent.sector, bounds.first);
      ASSERT_LE(extent.sector + extent.sectors, bounds.last);
      if (extent.rows == 0 || extent.columns == 0 || extent.run == 0) continue;
      ASSERT_LE(
          extent.skip + (extent.rows - 1) * extent.row_step + (extent.columns - 1) * extent.column_step + extent.run,
          extent.sectors * core::sector_bytes);
    }
    ASSERT_EQ(sectors * core::sector_bytes, core::bytes_of(plan, task))
        << "kind " << static_cast<int>(task.kind) << " row " << task.layer << " tile " << task.tile << " index "
        << task.index;
    const core::Layer& layer = plan.layers[task.layer];
    std::uint64_t needed = 0;
    if (task.kind == TaskKind::read_input &&
        core::part_exists(layer, plan.parts[layer.first_part + task.index], task.tile)) {
      needed = core::input_region(layer, plan.parts[layer.first_part + task.index], task.tile).elements();
    } else if (task.kind == TaskKind::write_output && !layer.keeps_output()) {
      needed = core::output_region(layer, task.tile).elements();
    } else {
      return;
    }
    ASSERT_EQ(wanted, needed * layer.element_bytes);
  });
}

TEST(Extents, AddUpToWhatTheTaskIsChargedAndStayInItsPlace) {
  tiling::Random random(1);
  int plans = 0, planes = 0;
  for (int i = 0; i < 250; ++i) {
    const models::Network network = tiling::random_network(random);
    for (const tiling::Rule rule : {tiling::Rule::halo, tiling::Rule::min_traffic}) {
      const std::optional<tiling::SwapPlan> plan = random_plan(network, rule, random);
      if (!plan) continue;
      ++plans;
      planes += plan->layout == core::CardLayout::planes;
      SCOPED_TRACE(to_text(network, *plan));
      expect_charged_extents(plan->view());
      if (HasFatalFailure()) return;
    }
  }
  EXPECT_GT(plans, 200);
  EXPECT_GT(planes, 50);
}

/// No two things lie in one sector of the card.
TEST(CardMap, PlacesLieApart) {
  tiling::Random random(2);
  for (int i = 0; i < 60; ++i) {
    const models::Network network = tiling::random_network(random);
    const std::optional<tiling::SwapPlan> made =
        random_plan(network, random.chance(50) ? tiling::Rule::halo : tiling::Rule::min_traffic, random);
    if (!made) continue;
    SCOPED_TRACE(to_text(network, *made));
    const Plan plan = made->view();
    std::vector<LayerPlace> places(plan.layers.size());
    const CardMap map = lay_out(plan, places);
    std::vector<bool> taken(map.sectors);
    const auto take = [&](std::uint64_t first, std::uint64_t count) {
      for (std::uint64_t sector = first; sector < first + count; ++sector) {
        ASSERT_LT(sector, taken.size());
        ASSERT_FALSE(taken[sector]) << sector;
        taken[sector] = true;
      }
    };
    take(header_sector, 2);
    for (std::uint32_t row = 0; row < plan.layers.size(); ++row) {
      const core::Layer& layer = plan.layers[row];
      if (layer.has_weights()) {
        for (std::uint32_t group = 0; group < layer.groups; ++group) {
          const std::uint32_t tile = group * layer.group_tiles();
          for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
            const std::uint32_t bytes =
                core::filters_of(layer, tile, chunk) * piece_bytes_of(layer, chunk % layer.pieces);
            take(map.layers[row].weights + chunk_offset(layer, tile, chunk),
                 core::whole_sectors(bytes) / core::sector_bytes);
          }
        }
      }
      if (layer.keeps_output()) continue;
      const std::uint32_t frames = layer.consumers == 0 ? plan.frames : std::min(plan.window, plan.frames);
      for (std::uint32_t frame = 0; frame < frames; ++frame)
        take(map.map_of(plan, row, frame), map_sectors(layer, plan.layout));
    }
    for (std::uint32_t frame = 0; frame < plan.frames; ++frame)
      take(map.input_of(frame), map.input_sectors);
    EXPECT_TRUE(std::ranges::all_of(taken, [](bool sector) { return sector; }));
  }
}

}  // namespace
}  // namespace spillway::execution
