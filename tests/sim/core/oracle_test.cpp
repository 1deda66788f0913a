#include "oracle.hpp"

#include <map>
#include <string>
#include <vector>

#include "comparison.hpp"
#include "random_plan.hpp"
#include <gtest/gtest.h>

namespace spillway::oracle {
namespace {

/// A convolution of kernel 3 with pad 1 over a column of `height` rows, in tiles of two rows, two filters in two
/// chunks.
core::Layer column(std::uint32_t height) {
  core::Layer layer;
  layer.channels = layer.tile_channels = 2;
  layer.height = layer.input_height = height;
  layer.width = layer.input_width = layer.tile_width = 1;
  layer.tile_height = 2;
  layer.kernel_height = 3;
  layer.pad_top = 1;
  layer.chunk_filters = 1;
  layer.filter_bytes = 3;
  layer.filter_work = 3;
  return layer;
}

/// Two layers of `column` one after the other.
PlanTables chain(std::uint32_t height, core::Pools pools) {
  PlanTables tables;
  tables.add(column(height), {{0, 1, 0, core::network_input}});
  tables.add(column(height), {{0, 2, 0, 0}});
  tables.link();
  tables.settings.pools = pools;
  return tables;
}

/// Selections of a device that reads, computes and completes one task after the other, oldest first.
std::vector<std::string> order_of(const PlanTables& tables) {
  Scheduler scheduler(tables.view());
  std::vector<std::string> order;
  while (!scheduler.done()) {
    std::vector<core::Task> running;
    if (const auto task = scheduler.select_io()) running.push_back(*task);
    if (const auto task = scheduler.select_compute()) running.push_back(*task);
    if (running.empty()) break;
    for (const core::Task& task : running) {
      order.push_back(to_string(task));
      EXPECT_EQ(scheduler.finish(task), core::Status::ok);
    }
  }
  return order;
}

TEST(Oracle, BuildsEveryTaskOfTheGraph) {
  const PlanTables tables = chain(6, core::Pools::quarters(4));
  const Graph graph = build_graph(tables.view());
  std::map<core::TaskKind, int> count;
  for (const Node& node : graph.nodes)
    ++count[node.task.kind];
  EXPECT_EQ(count[core::TaskKind::read_input], 6);
  EXPECT_EQ(count[core::TaskKind::read_weights], 12);
  EXPECT_EQ(count[core::TaskKind::compute], 12);
  EXPECT_EQ(count[core::TaskKind::write_output], 6);
  // Tile 0 of the second layer needs rows 0 to 2: tiles 0 and 1 of the first; tile 1 needs rows 1 to 4: all three.
  EXPECT_EQ(graph.nodes[graph.find({0, 0, 0, 1, core::TaskKind::read_input}).value()].in_degree, 2U);
  EXPECT_EQ(graph.nodes[graph.find({0, 1, 0, 1, core::TaskKind::read_input}).value()].in_degree, 3U);
}

TEST(Oracle, OverlapsReadsWithComputeInTheOrderOfPriority) {
  const std::vector<std::string> expected{
      "read_input frame 0 layer 0 tile 0 index 0",
      "read_weights frame 0 layer 0 tile 0 index 0",
      "read_weights frame 0 layer 0 tile 0 index 1",
      "compute frame 0 layer 0 tile 0 index 0",
      // The only input buffer is taken, so nothing can be read beside the second chunk.
      "compute frame 0 layer 0 tile 0 index 1",
      "write_output frame 0 layer 0 tile 0 index 0",
      "read_input frame 0 layer 0 tile 1 index 0",
      "read_weights frame 0 layer 0 tile 1 index 0",
      "read_weights frame 0 layer 0 tile 1 index 1",
      "compute frame 0 layer 0 tile 1 index 0",
      "compute frame 0 layer 0 tile 1 index 1",
      "write_output frame 0 layer 0 tile 1 index 0",
  };
  PlanTables tables = chain(4, core::Pools::quarters(4));
  std::vector<std::string> order = order_of(tables);
  ASSERT_EQ(order.size(), 2 * expected.size());
  order.resize(expected.size());
  EXPECT_EQ(order, expected);
}

TEST(Oracle, WeightsOutsideAreReadForAGroupAndItsOutputIsKept) {
  PlanTables tables = chain(4, {2, 4, 3, false});
  core::Layer& first = tables.layers[0];
  first.tile_channels = 1;  // two groups of two tiles, in one chunk each
  first.chunks = 1;
  first.groups = 2;
  first.weight_pins = 1;
  first.waits_for_all = true;
  const std::vector<std::string> expected{
      "read_input frame 0 layer 0 tile 0 index 0",
      "read_weights frame 0 layer 0 tile 0 index 0",
      "read_input frame 0 layer 0 tile 1 index 0",
      "compute frame 0 layer 0 tile 0 index 0",
      "write_output frame 0 layer 0 tile 0 index 0",
      "compute frame 0 layer 0 tile 1 index 0",
      // The second group begins after the last Compute of the first one; its reads come before the outputs of tiles
      // behind it, but tile 1 stands before it.
      "write_output frame 0 layer 0 tile 1 index 0",
      "read_input frame 0 layer 0 tile 2 index 0",
      "read_weights frame 0 layer 0 tile 2 index 0",
      "read_input frame 0 layer 0 tile 3 index 0",
      "compute frame 0 layer 0 tile 2 index 0",
      "write_output frame 0 layer 0 tile 2 index 0",
      "compute frame 0 layer 0 tile 3 index 0",
      "write_output frame 0 layer 0 tile 3 index 0",
  };
  std::vector<std::string> order = order_of(tables);
  ASSERT_GE(order.size(), expected.size());
  order.resize(expected.size());
  EXPECT_EQ(order, expected);
}

TEST(Oracle, TilesThatReadAKeptOutputBeginByThemselves) {
  PlanTables tables = chain(4, {2, 4, 3, false});
  tables.layers[0].output_pins = 2;
  tables.layers[0].waits_for_all = true;
  tables.layers[1].input_buffers = 0;
  tables.parts[1].resident = true;
  const std::vector<std::string> expected{
      "read_input frame 0 layer 0 tile 0 index 0",
      "read_weights frame 0 layer 0 tile 0 index 0",
      "read_weights frame 0 layer 0 tile 0 index 1",
      "compute frame 0 layer 0 tile 0 index 0",
      "read_input frame 0 layer 0 tile 1 index 0",
      "compute frame 0 layer 0 tile 0 index 1",
      "read_weights frame 0 layer 0 tile 1 index 0",
      "read_weights frame 0 layer 0 tile 1 index 1",
      "compute frame 0 layer 0 tile 1 index 0",
      "compute frame 0 layer 0 tile 1 index 1",
      // Nothing was written. There is one ticket, so the two tiles follow one another.
      "read_weights frame 0 layer 1 tile 0 index 0",
      "read_weights frame 0 layer 1 tile 0 index 1",
      "compute frame 0 layer 1 tile 0 index 0",
      "compute frame 0 layer 1 tile 0 index 1",
      "write_output frame 0 layer 1 tile 0 index 0",
      "read_weights frame 0 layer 1 tile 1 index 0",
      "read_weights frame 0 layer 1 tile 1 index 1",
      "compute frame 0 layer 1 tile 1 index 0",
      "compute frame 0 layer 1 tile 1 index 1",
      "write_output frame 0 layer 1 tile 1 index 0",
  };
  EXPECT_EQ(order_of(tables), expected);
}

TEST(Oracle, TheWindowHoldsFramesBack) {
  PlanTables tables = chain(2, {2, 2, 2, false});
  tables.settings.frames = 2;
  tables.settings.window = 2;
  Scheduler both(tables.view());
  ASSERT_TRUE(both.select_io());
  EXPECT_EQ(both.select_io(), (core::Task{1, 0, 0, 0, core::TaskKind::read_input}));
  tables.settings.window = 1;
  Scheduler one(tables.view());
  ASSERT_TRUE(one.select_io());
  EXPECT_FALSE(one.select_io());
}

TEST(Oracle, EverySafePlanIsDone) {
  int stalled_outside = 0;
  for (std::uint64_t seed = 0; seed < 2000; ++seed) {
    const PlanTables tables = random_plan(seed);
    Scheduler scheduler(tables.view());
    Random random(seed);
    std::vector<core::Task> running;
    while (!scheduler.done()) {
      while (const auto task = scheduler.select_io())
        running.push_back(*task);
      while (const auto task = scheduler.select_compute())
        running.push_back(*task);
      if (running.empty()) break;
      const auto position = running.begin() + random.between(0, static_cast<std::uint32_t>(running.size() - 1));
      ASSERT_EQ(scheduler.finish(*position), core::Status::ok);
      running.erase(position);
    }
    const bool claimed = tables.settings.queue == core::Queue::skip && !tables.settings.pools.shared;
    ASSERT_TRUE(scheduler.done() || !claimed) << "seed " << seed << "\n" << tables.dump();
    stalled_outside += !scheduler.done();
    EXPECT_EQ(scheduler.stalled(), !scheduler.done());
  }
  EXPECT_GT(stalled_outside, 0) << "one shared pool must be seen to deadlock";
}

}  // namespace
}  // namespace spillway::oracle
