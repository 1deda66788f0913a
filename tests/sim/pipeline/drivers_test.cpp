#include <random>
#include <string>
#include <vector>

#include "agreement.hpp"
#include "random_mapping.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::pipeline {
namespace {

/// Input, and `layers` ReLUs of the same size one behind the other.
models::Network chain(std::size_t layers, std::int64_t channels) {
  models::Network network("chain");
  network.add(input_node("x", {channels, 1, 1}));
  for (std::size_t i = 0; i < layers; ++i)
    network.add(relu_node("l" + std::to_string(i), i));
  return network;
}

LayerTimes same_time(const models::Network& network, std::uint64_t ns) {
  LayerTimes times;
  for (models::NodeId id = 0; id < network.nodes().size(); ++id) {
    times.alone.push_back(ns);
    times.behind.push_back(ns);
    times.leader.push_back(id);
  }
  return times;
}

/// A network whose costs are round numbers: 1 GB/s, 100 us.
Machine round_machine(std::size_t devices) {
  Machine machine = test_machine(devices);
  machine.network = {1e9, 100e-6};
  machine.rendezvous_latencies = 3;
  machine.message_s = machine.send_byte_s = machine.receive_byte_s = 0;
  return machine;
}

class BothDrivers : public testing::TestWithParam<Driver> {
 protected:
  Result run(const models::Network& network, const Machine& machine, const std::vector<Rank>& ranks,
             const std::vector<Placement>& placements, Options options) {
    const Workload workload(network);
    options.driver = GetParam();
    return Simulator(workload, machine)(ranks, placements, options);
  }
};

INSTANTIATE_TEST_SUITE_P(, BothDrivers, testing::Values(Driver::virtual_clock, Driver::simgrid),
                         [](const auto& driver) {
                           return driver.param == Driver::virtual_clock ? "VirtualClock" : "SimGrid";
                         });

TEST_P(BothDrivers, OneRankComputesFrameAfterFrame) {
  const models::Network network = chain(3, 10);
  const LayerTimes times = same_time(network, 1'000'000);
  const Result result = run(network, round_machine(1), {no_rank, 0, 0, 0}, {{0, false, 1, &times}}, {});
  EXPECT_EQ(result.run.makespan_ns, 24u * 3'000'000u);
  EXPECT_DOUBLE_EQ(result.period_s, 0.003);
  EXPECT_DOUBLE_EQ(result.latency_s, 0.003);
}

TEST_P(BothDrivers, PaperModeReceivesComputesAndSendsOneAfterTheOther) {
  // 1 MB takes 3 x 100 us + 1 ms; each rank computes 2 ms.
  const models::Network network = chain(2, 250'000);
  const LayerTimes times = same_time(network, 2'000'000);
  const Machine machine = round_machine(2);
  const std::vector<Placement> placements = {{0, false, 1, &times}, {1, false, 1, &times}};
  Options options;
  options.communication = Communication::paper;
  const Result result = run(network, machine, {no_rank, 0, 1}, placements, options);
  EXPECT_NEAR(result.latency_s, 0.0053, 1e-8);
  // The first rank computes, then waits until its message has been received; the second takes the next message while
  // it computes.
  EXPECT_NEAR(result.period_s, 0.0033, 1e-8);
  options.communication = Communication::overlap;
  EXPECT_NEAR(run(network, machine, {no_rank, 0, 1}, placements, options).period_s, 0.002, 1e-8);
}

TEST_P(BothDrivers, MessagesOfOneInterfaceShareIt) {
  // The network's input, 1 MB, goes from the first board to two others at once.
  models::Network network("fork");
  network.add(input_node("x", {250'000, 1, 1}));
  for (const char* name : {"a", "b", "c"})
    network.add(relu_node(name, 0));
  const LayerTimes times = same_time(network, 1000);
  const std::vector<Placement> placements = {{0, false, 1, &times}, {1, false, 1, &times}, {2, false, 1, &times}};
  Options options;
  options.warm_up = 0;
  options.frames = 1;
  const Result result = run(network, round_machine(3), {no_rank, 0, 1, 2}, placements, options);
  EXPECT_NEAR(static_cast<double>(result.run.makespan_ns), 300'000 + 2'000'000 + 1000, 20);
}

TEST_P(BothDrivers, RanksOnTheSameCoresShareThem) {
  const models::Network network = chain(2, 10);
  const LayerTimes times = same_time(network, 1'000'000);
  Machine machine = round_machine(1);
  machine.devices[0].cores = 1;
  const Result result = run(network, machine, {no_rank, 0, 1}, {{0, false, 1, &times}, {0, false, 1, &times}}, {});
  // The work of 24 frames takes 48 ms; a measured frame may begin before the last one of the warm-up ends.
  EXPECT_NEAR(static_cast<double>(result.run.makespan_ns), 48e6, 1e5);
}

TEST_P(BothDrivers, TheSameMappingGivesTheSameBytesFirstAndLast) {
  const models::Network network = *models::zoo("resnet18");
  const Workload workload(network);
  const Machine machine = test_machine(8);
  const TestTimes times(network);
  std::mt19937 random(5);
  Simulator simulate(workload, machine);
  Options options;
  options.driver = GetParam();
  const RandomMapping first = random_mapping(network, machine, times, Shape::scattered, random);
  const Result before = simulate(first.rank_of_node, first.placements, options);
  for (int i = 0; i < 50; ++i) {
    const RandomMapping other = random_mapping(network, machine, times, Shape::contiguous, random);
    simulate(other.rank_of_node, other.placements, options);
  }
  const Result after = simulate(first.rank_of_node, first.placements, options);
  EXPECT_EQ(before.run.frame_done_ns, after.run.frame_done_ns);
  EXPECT_EQ(before.run.makespan_ns, after.run.makespan_ns);
  EXPECT_EQ(before.energy_per_frame_j, after.energy_per_frame_j);
}

TEST(PipelineDrivers, ATimelineChangesNothing) {
  // Without one, the virtual clock joins pieces of work.
  const models::Network network = *models::zoo("googlenet");
  const Workload workload(network);
  const TestTimes times(network);
  std::mt19937 random(11);
  for (int i = 0; i < 60; ++i) {
    Machine machine = test_machine(4);
    if (i % 3 == 0) machine.devices[1].cores = 1;  // shared
    Simulator simulate(workload, machine);
    const RandomMapping mapping =
        random_mapping(network, test_machine(4), times, i % 2 == 0 ? Shape::contiguous : Shape::scattered, random);
    Options options;
    options.communication = i % 4 < 2 ? Communication::paper : Communication::overlap;
    options.progress = i % 5 == 0 ? Progress::calls : Progress::async;
    const Result without = simulate(mapping.rank_of_node, mapping.placements, options);
    Timeline timeline;
    options.timeline = &timeline;
    const Result with = simulate(mapping.rank_of_node, mapping.placements, options);
    ASSERT_GT(timeline.spans().size(), 0u);
    ASSERT_EQ(with.run.frame_done_ns, without.run.frame_done_ns);
    ASSERT_EQ(with.run.frame_begin_ns, without.run.frame_begin_ns);
    ASSERT_EQ(with.run.makespan_ns, without.run.makespan_ns);
    ASSERT_EQ(with.energy_per_frame_j, without.energy_per_frame_j);
  }
}

TEST(PipelineDrivers, AgreeOnRandomMappings) {
  const std::vector<Agreement> found = agreements(60, 1);
  EXPECT_LE(error_quantile(found, 0.5), 0.02);
  EXPECT_LE(error_quantile(found, 0.95), 0.05);
  EXPECT_GE(rank_correlation(found), 0.99);
}

}  // namespace
}  // namespace spillway::pipeline
