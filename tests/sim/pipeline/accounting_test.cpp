#include <numeric>
#include <random>
#include <vector>

#include "random_mapping.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::pipeline {
namespace {

/// Random mappings of a network with skip connections.
class PipelineAccounting : public testing::Test {
 protected:
  RandomMapping next() {
    return random_mapping(network_, machine_, times_, count_++ % 2 == 0 ? Shape::contiguous : Shape::scattered,
                          random_);
  }
  Result run(const RandomMapping& mapping, const Options& options) {
    return simulate_(mapping.rank_of_node, mapping.placements, options);
  }

  const models::Network network_ = *models::zoo("resnet18");
  const Workload workload_{network_};
  const Machine machine_ = test_machine(8);
  const TestTimes times_{network_};
  Simulator simulate_{workload_, machine_};
  std::mt19937 random_{7};
  int count_ = 0;
};

TEST_F(PipelineAccounting, EnergyIsPowerTimesTimeOfEachPart) {
  for (int i = 0; i < 40; ++i) {
    const RandomMapping mapping = next();
    Options options;
    options.wait = i % 3 == 0 ? Wait::spin : Wait::sleep;
    const Result result = run(mapping, options);
    const double makespan_s = static_cast<double>(result.run.makespan_ns) * 1e-9;
    for (std::size_t device = 0; device < machine_.devices.size(); ++device) {
      const DeviceModel& model = machine_.devices[device];
      double expected = model.idle_w * makespan_s;
      for (Rank rank = 0; rank < mapping.placements.size(); ++rank) {
        if (mapping.placements[rank].device != device) continue;
        const bool gpu = mapping.placements[rank].gpu;
        const double compute_s = static_cast<double>(result.run.ranks[rank].compute_ns) * 1e-9;
        const double call_s = static_cast<double>(result.run.ranks[rank].call_ns) * 1e-9;
        const double core_s = call_s + (gpu ? 0 : compute_s * static_cast<double>(mapping.placements[rank].threads));
        expected += model.core_w * core_s + (gpu ? model.gpu_w * compute_s : 0);
        const double at_work_s = call_s + (gpu ? 0 : compute_s);
        if (options.wait == Wait::spin) expected += model.spin_w * (makespan_s - at_work_s);
      }
      const double bytes = static_cast<double>(result.traffic[device].sent + result.traffic[device].received);
      expected += model.network_w * 24 * bytes / machine_.network.bytes_per_s;
      EXPECT_NEAR(result.energy[device].total_j(), expected, 1e-9 * expected);
      EXPECT_NEAR(24 * result.energy_per_frame_j[device], result.energy[device].total_j(), 1e-9 * expected);
    }
  }
}

TEST_F(PipelineAccounting, ADeviceWithoutRanksConsumesItsIdlePowerOnly) {
  const RandomMapping all = next();
  RandomMapping mapping{all.rank_of_node, {{3, false, 1, &times_.one_core}}};
  for (Rank& rank : mapping.rank_of_node)
    if (rank != no_rank) rank = 0;
  Options options;
  options.wait = Wait::spin;
  const Result result = run(mapping, options);
  for (std::size_t device = 0; device < machine_.devices.size(); ++device) {
    const double idle = machine_.devices[device].idle_w * static_cast<double>(result.run.makespan_ns) * 1e-9;
    EXPECT_DOUBLE_EQ(result.energy[device].idle_j, idle);
    if (device != 3) {
      EXPECT_DOUBLE_EQ(result.energy[device].total_j(), idle);
      EXPECT_EQ(result.device_memory[device], 0u);
    }
  }
  EXPECT_GT(result.energy[3].compute_j, 0);
}

TEST_F(PipelineAccounting, AFrameMoreNeverLowersEnergyOrTime) {
  for (int i = 0; i < 20; ++i) {
    const RandomMapping mapping = next();
    Options options;
    options.warm_up = 0;
    Result last;
    for (options.frames = 1; options.frames < 8; ++options.frames) {
      Result result = run(mapping, options);
      if (options.frames > 1) {
        EXPECT_GE(result.run.makespan_ns, last.run.makespan_ns);
        for (std::size_t device = 0; device < machine_.devices.size(); ++device)
          EXPECT_GE(result.energy[device].total_j(), last.energy[device].total_j());
      }
      last = std::move(result);
    }
  }
}

TEST_F(PipelineAccounting, BytesThatAreSentAreReceived) {
  for (int i = 0; i < 20; ++i) {
    const Result result = run(next(), {});
    std::uint64_t sent = 0, received = 0;
    for (const DeviceTraffic& traffic : result.traffic) {
      sent += traffic.sent;
      received += traffic.received;
    }
    EXPECT_EQ(sent, received);
  }
}

TEST_F(PipelineAccounting, WeightsOfAllRanksAreThoseOfTheNetworkAndTwiceOnAGpu) {
  const auto weights = static_cast<std::uint64_t>(4 * (network_.total_weights() + network_.total_biases()));
  for (int i = 0; i < 20; ++i) {
    const RandomMapping mapping = next();
    const Result result = run(mapping, {});
    std::uint64_t once = 0;
    for (Rank rank = 0; rank < mapping.placements.size(); ++rank)
      once += result.rank_memory[rank].weights / (mapping.placements[rank].gpu ? 2 : 1);
    EXPECT_EQ(once, weights);
  }
}

TEST_F(PipelineAccounting, OneRankHoldsItsLargestLiveSetAndNoBuffers) {
  RandomMapping mapping = next();
  mapping.placements = {{0, false, 1, &times_.one_core}};
  for (Rank& rank : mapping.rank_of_node)
    if (rank != no_rank) rank = 0;
  const Result result = run(mapping, {});
  EXPECT_EQ(result.rank_memory[0].buffers, 0u);
  // ResNet-18's first pooling: its input 64 x 112 x 112 and its result 64 x 56 x 56.
  EXPECT_EQ(result.rank_memory[0].tensors, 4u * (64 * 112 * 112 + 64 * 56 * 56));
}

TEST_F(PipelineAccounting, OverlapDoublesTheBuffers) {
  for (int i = 0; i < 10; ++i) {
    const RandomMapping mapping = next();
    Options options;
    options.communication = Communication::paper;
    const Result paper = run(mapping, options);
    options.communication = Communication::overlap;
    const Result overlap = run(mapping, options);
    for (Rank rank = 0; rank < mapping.placements.size(); ++rank) {
      EXPECT_EQ(overlap.rank_memory[rank].buffers, 2 * paper.rank_memory[rank].buffers);
      EXPECT_EQ(overlap.rank_memory[rank].tensors, paper.rank_memory[rank].tensors);
    }
    EXPECT_LE(overlap.period_s, paper.period_s * 1.001);
  }
}

}  // namespace
}  // namespace spillway::pipeline
