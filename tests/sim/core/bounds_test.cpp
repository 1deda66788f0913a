#include <cstddef>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>

#include "random_plan.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::oracle {
namespace {

/// VGG-16 in buffers of 16 KiB of 512 KiB SRAM, 10 frames in flight.
constexpr core::PlanSize vgg16{.layers = 21, .tiles = 1664, .pools = core::Pools::quarters(32), .window = 10};
constexpr std::size_t state_bound = std::size_t{16} * 1024;

static_assert(core::Scheduler::state_bytes(vgg16) < state_bound, "VGG-16's state must leave an MCU's SRAM to buffers");

/// The value of a key in the file of bounds.
std::size_t bound(const std::string& key) {
  std::ifstream file(paths::source("sim/core/bounds.txt"));
  std::string line;
  while (std::getline(file, line)) {
    std::istringstream words(line);
    std::string name;
    std::size_t value = 0;
    if (words >> name >> value && name == key) return value;
  }
  ADD_FAILURE() << "sim/core/bounds.txt has no " << key;
  return 0;
}

TEST(Bounds, StateOfVgg16) {
  std::cout << "state of VGG-16, 16 KiB buffers, 10 frames in flight: " << core::Scheduler::state_bytes(vgg16)
            << " bytes\n";
  EXPECT_EQ(bound("state_bytes"), state_bound) << "the static assertion and the file of bounds must agree";
}

TEST(Bounds, Vgg16HasThatSize) {
  tiling::Request request;
  request.sram_bytes = 512 * 1024;
  request.buffer_bytes = 16 * 1024;
  request.frames = 10;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("vgg16"), request);
  const core::PlanSize size = core::size_of(plan.view());
  EXPECT_EQ(size.layers, vgg16.layers);
  EXPECT_EQ(size.tiles, vgg16.tiles);
  EXPECT_EQ(size.window, vgg16.window);
  EXPECT_EQ(size.pools.input, vgg16.pools.input);
  EXPECT_EQ(size.pools.weights, vgg16.pools.weights);
  EXPECT_EQ(size.pools.output, vgg16.pools.output);
  EXPECT_EQ(core::Scheduler::state_bytes(size), core::Scheduler::state_bytes(vgg16));
}

TEST(Bounds, StateIsTheObjectAndItsWords) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const PlanTables tables = random_plan(seed);
    const core::PlanSize size = core::size_of(tables.view());
    const std::size_t words = core::Scheduler::storage_words(size);
    EXPECT_GE(core::Scheduler::state_bytes(size), sizeof(core::Scheduler) + words * sizeof(std::uint32_t));
  }
}

TEST(Bounds, SizeCountsThePlan) {
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const PlanTables tables = random_plan(seed);
    const core::PlanSize size = core::size_of(tables.view());
    std::uint32_t tiles = 0;
    for (const core::Layer& layer : tables.layers)
      tiles += layer.groups * layer.rows * layer.columns;
    EXPECT_EQ(size.layers, tables.layers.size());
    EXPECT_EQ(size.tiles, tiles);
    EXPECT_EQ(size.pools.total(), tables.settings.pools.total());
    EXPECT_EQ(size.window, tables.settings.window);
  }
}

}  // namespace
}  // namespace spillway::oracle
