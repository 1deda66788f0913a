#include "random_plan.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <set>
#include <string>

#include <gtest/gtest.h>

#include "sim/core/scheduler.hpp"

namespace spillway::oracle {
namespace {

/// The features of a plan that the comparison relies on.
std::set<std::string> features(const PlanTables& tables) {
  std::set<std::string> found;
  const auto note = [&](const char* name, bool present) {
    if (present) found.insert(name);
  };
  const core::Plan& settings = tables.settings;
  note("strict queue", settings.queue == core::Queue::strict);
  note("shared pool", settings.pools.shared);
  note("window smaller than the frames", settings.window < settings.frames);
  note("several frames in flight", settings.window > 1);
  note("more than 32 layers", tables.layers.size() > 32);
  std::set<core::LayerIndex> read_by_several;
  for (const core::Layer& layer : tables.layers) {
    std::set<core::LayerIndex> producers;
    bool sum = false;
    bool split = false;
    for (std::uint32_t number = 0; number < layer.parts; ++number) {
      const core::Part& part = tables.parts[layer.first_part + number];
      sum |= number > 0 && part.first_channel == 0;
      split |= part.producer_channel != 0;
      if (part.producer != core::network_input) producers.insert(part.producer);
    }
    note("element-wise sum", sum);
    note("concatenation", producers.size() > 1 && !sum);
    note("split channels", split && !layer.flattened);
    note("wide layer of several producers", layer.tiles() > 32 && producers.size() > 1 && !sum);
    note("several input buffers", layer.input_buffers > 1);
    note("flattened", layer.flattened);
    note("waits for all", layer.waits_for_all);
    note("channelwise tiles of some channels", layer.channelwise && layer.groups > 1);
    note("channel halo", layer.channel_halo != 0 && layer.groups > 1);
    note("pieces", layer.pieces > 1);
    note("no weights", !layer.has_weights());
    note("stride beyond the kernel", layer.stride_height > layer.kernel_height && layer.height > 1);
    note("asymmetric kernel", layer.kernel_height != layer.kernel_width);
    note("padding", layer.pad_top != 0 || layer.pad_left != 0);
    note("uneven last tile", layer.height % layer.tile_height != 0 || layer.width % layer.tile_width != 0);
    note("uneven last group", layer.channels % layer.tile_channels != 0 && layer.chunks > 1);
    note("more than 32 tiles", layer.tiles() > 32);
    note("read by several layers", layer.consumers > 1);
  }
  return found;
}

/// The features of a plan with pins that the comparison relies on.
std::set<std::string> pin_features(const PlanTables& tables) {
  std::set<std::string> found;
  const auto note = [&](const char* name, bool present) {
    if (present) found.insert(name);
  };
  const core::Pools& pools = tables.settings.pools;
  for (const core::Layer& layer : tables.layers) {
    bool resident = false, from_card = false, only_order = false;
    for (std::uint32_t number = 0; number < layer.parts; ++number) {
      const core::Part& part = tables.parts[layer.first_part + number];
      resident |= part.resident;
      from_card |= !part.resident;
      only_order |= part.channels == 0;
    }
    const bool outside = layer.weight_pins != 0, kept = layer.output_pins != 0;
    note("weights outside", outside);
    note("weights outside in several groups of several tiles", outside && layer.groups > 1 && layer.rows > 1);
    note("weights outside in pieces", outside && layer.pieces > 1);
    note("a pin too many", outside && layer.weight_pins > layer.chunks);
    note("weights outside, channelwise", outside && layer.channelwise && layer.groups > 1);
    note("weights outside, flattened", outside && layer.flattened);
    note("two weight buffers left", outside && layer.weight_pins + 2 == pools.weights);
    note("kept output", kept);
    note("one output buffer left", kept && layer.output_pins + 1 == pools.output);
    note("both", kept && outside);
    note("reads a kept output alone", resident && !from_card);
    note("reads a kept output and the card", resident && from_card);
    note("a kept output read by tiles of a region", resident && !layer.flattened && !layer.waits_for_all);
    note("waits for what its reader reads too", only_order);
  }
  return found;
}

TEST(RandomPlanWithPins, HasEveryFeature) {
  std::map<std::string, int> plans;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const PlanTables tables = random_plan_with_pins(seed);
    ASSERT_EQ(core::Scheduler::check(tables.view()), core::Status::ok) << "seed " << seed << "\n" << tables.dump();
    for (const std::string& feature : pin_features(tables))
      ++plans[feature];
  }
  EXPECT_EQ(plans.size(), 14U);
  for (const auto& [feature, count] : plans) {
    std::cout << feature << ": " << count << " plans\n";
    EXPECT_GE(count, 50) << feature;
  }
}

TEST(RandomPlan, IsTheSameForTheSameSeed) {
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(random_plan(seed).dump(), random_plan(seed).dump());
  for (std::uint64_t seed = 0; seed < 100; ++seed)
    EXPECT_EQ(random_plan_with_pins(seed).dump(), random_plan_with_pins(seed).dump());
}

TEST(RandomPlan, IsAcceptedByTheCore) {
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    const PlanTables tables = random_plan(seed);
    ASSERT_EQ(core::Scheduler::check(tables.view()), core::Status::ok) << "seed " << seed << "\n" << tables.dump();
  }
}

TEST(RandomPlan, HasEveryFeature) {
  std::map<std::string, int> plans;
  for (std::uint64_t seed = 0; seed < 10'000; ++seed) {
    for (const std::string& feature : features(random_plan(seed)))
      ++plans[feature];
  }
  EXPECT_EQ(plans.size(), 23U);
  for (const auto& [feature, count] : plans) {
    std::cout << feature << ": " << count << " plans\n";
    EXPECT_GE(count, 50) << feature;
  }
}

}  // namespace
}  // namespace spillway::oracle
