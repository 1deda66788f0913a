#include "sim/cost/layer_cost.hpp"

#include <stdexcept>

#include <gtest/gtest.h>

#include "models/layers.hpp"
#include "models/zoo.hpp"

namespace spillway::cost {
namespace {

using platforms::Computer;
using platforms::Efficiencies;

/// Round numbers: 10 MAC/s a core, 100 bytes/s, all shares 1.
Computer board() {
  Computer computer;
  computer.name = "board";
  computer.cores = 4;
  computer.cpu.peak.value = 10;
  computer.cpu.bandwidth.value = 100;
  computer.cpu.one_core = {{1, ""}, {2, ""}};
  computer.cpu.all_cores = {{0.25, ""}, {0.5, ""}};
  platforms::GpuUnit gpu;
  gpu.peak.value = 1000;
  gpu.bandwidth.value = 50;
  gpu.calls = {{2, ""}, {3, ""}};
  computer.gpu = gpu;
  return computer;
}

Efficiencies shares_of_one() {
  Efficiencies efficiencies;
  for (platforms::Efficiency* efficiency : {&efficiencies.cpu, &efficiencies.gpu}) {
    efficiency->peak.fill({1, ""});
    efficiency->bandwidth.fill({1, ""});
  }
  return efficiencies;
}

/// 400 multiply-accumulates in a dense layer, 600 bytes of pooling, 3 calls.
Work work() {
  Work work;
  work.macs[static_cast<std::size_t>(ComputeKind::dense)] = 400;
  work.bytes[static_cast<std::size_t>(MemoryKind::pooling)] = 600;
  work.calls = 3;
  return work;
}

double seconds(Placement placement) {
  return seconds_of(work(), rates_of(board(), shares_of_one(), placement));
}

TEST(LayerCost, IsTheSumOfLaunchComputeAndMemory) {
  EXPECT_DOUBLE_EQ(seconds({.threads = 1}), 3 * 2 + 400 / 10.0 + 600 / 100.0);
  EXPECT_DOUBLE_EQ(seconds({.threads = 4}), 3 * 0.5 + 400 / (10 * 4 * 0.25) + 600 / 100.0);
  EXPECT_DOUBLE_EQ(seconds({.gpu = true}), 3 * 3 + 400 / (1000 * 2.0) + 600 / 50.0);
}

TEST(LayerCost, BetweenOneAndAllCoresScaleAndLaunchFollowAPowerLaw) {
  const Rates rates = rates_of(board(), shares_of_one(), {.threads = 2});
  EXPECT_DOUBLE_EQ(rates.launch_s, 1);                  // half way from 2 to 0.5
  EXPECT_DOUBLE_EQ(rates.macs_per_s[0], 10 * 2 * 0.5);  // half way from 1 to 0.25
}

TEST(LayerCost, EfficienciesOfTheComputerComeFirst) {
  Computer computer = board();
  computer.cpu.efficiency = shares_of_one().cpu;
  computer.cpu.efficiency->peak.fill({0.5, ""});
  EXPECT_DOUBLE_EQ(rates_of(computer, shares_of_one(), {}).macs_per_s[0], 5);
  EXPECT_DOUBLE_EQ(rates_of(computer, shares_of_one(), {.gpu = true}).macs_per_s[0], 2000);
}

TEST(LayerCost, RefusesWhatTheComputerDoesNotHave) {
  EXPECT_THROW(seconds({.threads = 0}), std::invalid_argument);
  EXPECT_THROW(seconds({.threads = 5}), std::invalid_argument);
  Computer without = board();
  without.gpu.reset();
  EXPECT_THROW(rates_of(without, shares_of_one(), {.gpu = true}), std::invalid_argument);
}

TEST(LayerCost, NetworkIsTheSumOfItsLayers) {
  const Computer computer = platforms::load_computer("jetson-xavier-nx");
  const Efficiencies efficiencies = platforms::load_efficiencies();
  for (const std::string_view name : {"densenet121", "resnet101", "vgg19"}) {
    const models::Network network = *models::zoo(name);
    for (const Placement placement : {Placement{false, 1}, Placement{false, 6}, Placement{true, 1}}) {
      double sum = 0;
      for (models::NodeId id = 0; id < network.nodes().size(); ++id)
        sum += layer_s(network, id, computer, efficiencies, placement, can_fuse(network, id));
      EXPECT_NEAR(network_s(network, computer, efficiencies, placement) / sum, 1, 1e-12);
    }
  }
}

TEST(LayerCost, MoreWorkTakesLongerAndMoreThreadsDoNot) {
  const Efficiencies efficiencies = platforms::load_efficiencies();
  models::Network network("net");
  models::input(network, {64, 28, 28});
  std::vector<models::NodeId> wider;
  for (const std::int64_t filters : {16, 32, 64, 128, 256})
    wider.push_back(
        models::convolution(network, "conv" + std::to_string(filters), 0, filters, models::square(3, 1, 1)));
  for (const std::string& name : platforms::computer_names()) {
    const Computer computer = platforms::load_computer(name);
    double slower = 1e9;
    for (int threads = 1; threads <= computer.cores; ++threads) {
      double before = 0;
      for (const models::NodeId id : wider) {
        const double now = layer_s(network, id, computer, efficiencies, {false, threads}, false);
        EXPECT_GT(now, before) << name;
        before = now;
      }
      EXPECT_LE(before, slower) << name << ' ' << threads;
      slower = before;
    }
  }
}

// AutoDiCE, DenseNet-121 on one device (follows from its point A): its GPU has 1.591 times the throughput of its 6
// cores. Nothing was fitted to that.
TEST(LayerCost, GpuAgainstSixCoresOfAutoDice) {
  const Computer device = platforms::load_computer("jetson-xavier-nx");
  const Efficiencies efficiencies = platforms::load_efficiencies();
  const models::Network network = *models::zoo("densenet121");
  const double ratio =
      network_s(network, device, efficiencies, {false, 6}) / network_s(network, device, efficiencies, {.gpu = true});
  EXPECT_NEAR(ratio, 1.74, 0.01);
  EXPECT_NEAR(ratio / 1.591, 1, 0.1);
}

// What a person who knows the boards expects.
TEST(LayerCost, IsPlausibleForDepthwiseAndDenseLayers) {
  const Efficiencies efficiencies = platforms::load_efficiencies();
  const Computer nano = platforms::load_computer("jetson-nano");
  models::Network network("net");
  models::input(network, {256, 14, 14});
  const models::NodeId depthwise =
      models::convolution(network, "depthwise", 0, 256, models::square(3, 1, 1), {.groups = 256});
  const models::NodeId full = models::convolution(network, "full", 0, 256, models::square(3, 1, 1));
  const auto time = [&](models::NodeId id) { return layer_s(network, id, nano, efficiencies, {false, 4}, false); };
  EXPECT_LT(time(depthwise), time(full));
  EXPECT_GT(time(depthwise), time(full) / 256) << "its MACs are 256 times fewer, it is not as efficient";

  const Rates rates = rates_of(nano, efficiencies, {false, 4});
  const models::NodeId dense = models::dense(network, "dense", 0, 4096);
  Work weights_only = work_of(network, dense);
  weights_only.macs = {};
  weights_only.calls = 0;
  EXPECT_GT(seconds_of(weights_only, rates), time(dense) / 2) << "a dense layer at batch 1 is bound by its weights";
}

}  // namespace
}  // namespace spillway::cost
