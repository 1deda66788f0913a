#include "experiments/explore/chain.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <functional>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/explore/front.hpp"
#include "experiments/explore/search.hpp"
#include "models/zoo.hpp"
#include "platforms/cluster.hpp"

namespace spillway::explore {
namespace {

constexpr std::array objectives = {Objective::throughput, Objective::energy, Objective::memory};

class ChainTest : public testing::Test {
 protected:
  static std::vector<std::vector<double>> costs(const std::vector<Worth>& worths) {
    std::vector<std::vector<double>> all;
    for (const Worth& worth : worths)
      all.push_back(costs_of(worth, objectives));
    return all;
  }

  const pipeline::ClusterModel cluster_{platforms::load_cluster("jetson-xavier-nx8")};
  const platforms::Efficiencies efficiencies_ = platforms::load_efficiencies();
};

/// Every mapping of a chain onto at most that many devices.
void all_mappings(const Chain& chain, std::size_t layers, std::size_t devices, Mapping& so_far, std::size_t next,
                  const std::function<void(const Mapping&)>& use) {
  if (so_far.size() == devices) return;
  const std::size_t begin = so_far.empty() ? 0 : so_far.back().end;
  so_far.push_back({begin, layers, so_far.size(), Kind::gpu, 0});
  use(so_far);
  for (std::size_t cut = next; cut < chain.cuts().size(); ++cut) {
    so_far.back().end = chain.cuts()[cut];
    all_mappings(chain, layers, devices, so_far, cut + 1, use);
  }
  so_far.pop_back();
}

TEST_F(ChainTest, TheExactFrontIsThatOfAllMappings) {
  for (const char* name : {"alexnet", "squeezenet", "resnet18"}) {
    const models::Network network = *models::zoo(name);
    const Chain chain(network, cluster_, efficiencies_, Kind::gpu, {});
    constexpr std::size_t devices = 4;
    std::vector<Worth> all;
    Mapping so_far;
    all_mappings(chain, network.nodes().size() - 1, devices, so_far, 0,
                 [&](const Mapping& mapping) { all.push_back(chain.worth(mapping)); });
    std::vector<std::vector<double>> expected, found = costs(chain.exact_front(devices));
    const std::vector<std::vector<double>> everything = costs(all);
    for (const std::size_t member : non_dominated(everything))
      expected.push_back(everything[member]);
    std::vector<std::vector<double>> front;
    for (const std::size_t member : non_dominated(found))
      front.push_back(found[member]);
    EXPECT_EQ(front, expected) << name << ", " << all.size() << " mappings";
  }
}

TEST_F(ChainTest, TheBestThroughputUsesAllDevices) {
  const models::Network network = *models::zoo("alexnet");
  const Chain chain(network, cluster_, efficiencies_, Kind::gpu, {});
  for (std::size_t devices = 1; devices <= 4; ++devices) {
    double best = 0;
    Mapping so_far;
    all_mappings(chain, network.nodes().size() - 1, devices, so_far, 0, [&](const Mapping& mapping) {
      if (mapping.size() == devices) best = std::max(best, chain.worth(mapping).throughput_per_s);
    });
    EXPECT_DOUBLE_EQ(chain.best_throughput(devices)->throughput_per_s, best);
  }
  EXPECT_FALSE(chain.best_throughput(chain.cuts().size() + 2));
}

TEST_F(ChainTest, TheClosedFormIsNearTheSimulation) {
  for (const char* name : {"vgg19", "resnet101"}) {
    const models::Network network = *models::zoo(name);
    const Chain chain(network, cluster_, efficiencies_, Kind::gpu, {});
    const Space space(network, cluster_, {4, {Kind::gpu}, chain.cuts()});
    Evaluator evaluator(space, efficiencies_, {});
    for (const Mapping& mapping : seed_mappings(space, evaluator)) {
      const Worth closed = chain.worth(mapping), simulated = evaluator(mapping);
      // Buffers are two, not endless, and frames begin and end.
      EXPECT_NEAR(closed.throughput_per_s / simulated.throughput_per_s, 1, 0.05) << space.describe(mapping);
      EXPECT_DOUBLE_EQ(closed.memory_bytes, simulated.memory_bytes) << space.describe(mapping);
    }
  }
}

/// Share of the exact front's volume that a search of AutoDiCE's size reaches.
TEST_F(ChainTest, TheSearchReaches98PercentOfTheExactFront) {
  for (const char* name : {"densenet121", "resnet101", "vgg19"}) {
    const models::Network network = *models::zoo(name);
    const Chain chain(network, cluster_, efficiencies_, Kind::gpu, {});
    const Space space(network, cluster_, {8, {Kind::gpu}, chain.cuts()});
    Evaluator evaluator(space, efficiencies_, {});
    Search search(
        space, [&](const Mapping& mapping) { return chain.worth(mapping); }, {}, seed_mappings(space, evaluator));
    while (search.step()) {
    }
    const double exact = hypervolume(costs(chain.exact_front(8)), search.reference());
    const double share = search.volume() / exact;
    std::printf("%s: %zu places to cut, %.4f of the exact front's volume\n", name, chain.cuts().size(), share);
    EXPECT_GE(share, 0.98) << name;
    EXPECT_LE(share, 1 + 1e-9) << name;
  }
}

}  // namespace
}  // namespace spillway::explore
