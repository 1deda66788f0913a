#include <optional>
#include <string>

#include "min_traffic_comparison.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/tiling/counts.hpp"
#include "sim/tiling/swap_plan.hpp"

/// Rule min-traffic against everything that it could have chosen, at length.
namespace spillway::least_traffic {
namespace {

using tiling::Request;
using tiling::Rule;

TEST(MinTrafficFull, MovesTheLeastOnSmallNetworks) {
  const Reached reached = expect_least_on_random_networks(2, 1500);
  EXPECT_GT(reached.plans, 1200);
  EXPECT_GT(reached.planes, 500);
  EXPECT_GT(reached.infeasible, 20);
  EXPECT_GT(reached.chains, 500);
  EXPECT_GT(reached.branches, 500);
  EXPECT_GT(reached.weights_outside, 60);
  EXPECT_GT(reached.kept_outputs, 300);
  EXPECT_GT(reached.cut_filters, 30);
  EXPECT_GT(reached.channel_groups, 80);
  EXPECT_GT(reached.cut_columns, 80);
  EXPECT_GT(reached.blocks, 100);
  EXPECT_GT(reached.several_buffers, 200);
  EXPECT_GT(reached.several_parts, 150);
}

std::optional<std::uint64_t> bytes_of(const std::string& network, const Request& request) {
  try {
    return tiling::traffic(tiling::make_plan(*models::zoo(network), request).view()).bytes();
  } catch (const tiling::Infeasible&) {
    return {};
  }
}

/// Wherever rule halo has a plan, min-traffic has one that moves no more.
TEST(MinTrafficFull, NeverMovesMoreThanHalo) {
  int compared = 0;
  for (const char* name : {"vgg16", "alexnet", "mobilenet", "resnet18", "googlenet", "squeezenet"}) {
    for (const std::uint64_t buffer_kib : {16, 32, 64, 128}) {
      for (const models::ElementType element : {models::ElementType::int8, models::ElementType::float32}) {
        SCOPED_TRACE(std::string(name) + " " + std::to_string(buffer_kib) + " KiB " +
                     std::string(models::to_string(element)));
        Request request;
        request.sram_bytes = 512 * 1024;
        request.buffer_bytes = buffer_kib * 1024;
        request.element = element;
        request.rule = Rule::halo;
        const std::optional<std::uint64_t> halo = bytes_of(name, request);
        if (!halo) continue;
        request.rule = Rule::min_traffic;
        const std::optional<std::uint64_t> least = bytes_of(name, request);
        ASSERT_TRUE(least.has_value());
        EXPECT_LE(*least, *halo);
        ++compared;
      }
    }
  }
  EXPECT_GE(compared, 24);
}

/// Plans of real networks, with pins of several layers in turn, run soundly.
TEST(MinTrafficFull, RealNetworksReplay) {
  tiling::Random random(3);
  for (const char* name : {"alexnet", "mobilenet", "resnet18", "squeezenet"}) {
    SCOPED_TRACE(name);
    const models::Network network = *models::zoo(name);
    Request request;
    request.sram_bytes = 512 * 1024;
    request.buffer_bytes = 16 * 1024;
    request.rule = Rule::min_traffic;
    expect_sound_replay(network, tiling::make_plan(network, request), random);
  }
}

}  // namespace
}  // namespace spillway::least_traffic
