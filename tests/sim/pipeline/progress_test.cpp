#include <cstdint>
#include <vector>

#include "agreement.hpp"
#include "random_mapping.hpp"
#include <gtest/gtest.h>

#include "sim/pipeline/call_progress.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::pipeline {
namespace {

/// Two ReLUs on two boards at 1 GB/s and 100 us, whose cores pass messages on for nothing.
class Progressing : public testing::TestWithParam<Driver> {
 protected:
  Progressing() {
    machine_.network = {1e9, 100e-6};
    machine_.message_s = machine_.send_byte_s = machine_.receive_byte_s = 0;
    options_.progress = Progress::calls;
    options_.wait = Wait::spin;
    options_.warm_up = 0;
    options_.frames = 1;
    options_.driver = GetParam();
    options_.communication = Communication::paper;
  }

  /// Of two layers that compute that long, with that many numbers between them.
  double makespan_ms(std::uint64_t first_ns, std::uint64_t second_ns, std::int64_t floats = 250'000) {
    models::Network network("pair");
    network.add(input_node("x", {floats, 1, 1}));
    network.add(relu_node("first", 0));
    network.add(relu_node("second", 1));
    LayerTimes times;
    times.alone = times.behind = {0, first_ns, second_ns};
    times.leader = {0, 1, 2};
    const Workload workload(network);
    const std::vector<Placement> placements = {{0, false, 1, &times}, {1, false, 1, &times}};
    const std::vector<Rank> ranks = {no_rank, 0, 1};
    const Result result = Simulator(workload, machine_)(ranks, placements, options_);
    return static_cast<double>(result.run.makespan_ns) * 1e-6;
  }

  Machine machine_ = test_machine(2);
  Options options_;
};

INSTANTIATE_TEST_SUITE_P(, Progressing, testing::Values(Driver::virtual_clock, Driver::simgrid),
                         [](const auto& driver) {
                           return driver.param == Driver::virtual_clock ? "VirtualClock" : "SimGrid";
                         });

TEST_P(Progressing, AMessageIsAnnouncedAnsweredAndSent) {
  EXPECT_NEAR(makespan_ms(2'000'000, 2'000'000), 2 + 3 * 0.1 + 1 + 2, 1e-4);
}

TEST_P(Progressing, WhatFitsTheEagerLimitGoesAtOnce) {
  EXPECT_NEAR(makespan_ms(2'000'000, 2'000'000, 10'000), 2 + 0.1 + 0.04 + 2, 1e-4);
}

TEST_P(Progressing, AComputingRankOfThePaperAnswersWhenItHasComputed) {
  // The second rank is at its first frame for 5 ms when the second message is announced. The first 64 KiB came with it.
  options_.frames = 2;
  const double first_there_ms = 2 + 0.3 + 1, computed_ms = first_there_ms + 5;
  EXPECT_NEAR(makespan_ms(2'000'000, 5'000'000), computed_ms + 2 * 0.1 + 1 - 0.065536 + 5, 1e-4);
}

TEST_P(Progressing, AComputingRankThatOverlapsAnswersBetweenItsBlocks) {
  options_.frames = 2;
  options_.communication = Communication::overlap;
  const double without_looking_ms = 2 + 0.3 + 1 + 5 + 5, block_ms = 1e-6 * static_cast<double>(block_ns);
  EXPECT_GE(makespan_ms(2'000'000, 5'000'000), without_looking_ms);
  EXPECT_LE(makespan_ms(2'000'000, 5'000'000), without_looking_ms + 2 * block_ms);
}

TEST_P(Progressing, ASleepingRankFindsAMessageWhenItWakes) {
  options_.wait = Wait::sleep;
  const double found_ms = makespan_ms(2'000'000, 2'000'000);
  const double longest_ms = 1e-6 * static_cast<double>(longest_sleep_ns + timer_slack_ns);
  EXPECT_GT(found_ms, 5.3);
  EXPECT_LT(found_ms, 5.3 + 4 * longest_ms);  // the announcement, the answer, the message and one look more
}

TEST_P(Progressing, CopyingTakesTheSendersCore) {
  // Each of the two messages takes it 2 ms: the first before it computes on, the second at least in part behind that.
  options_.frames = 2;
  const double for_nothing_ms = makespan_ms(2'000'000, 1000);
  machine_.send_byte_s = 2e-9;
  EXPECT_GE(makespan_ms(2'000'000, 1000), for_nothing_ms + 2);
  EXPECT_LE(makespan_ms(2'000'000, 1000), for_nothing_ms + 4);
}

TEST_P(Progressing, ARestedLinkPassesItsBurstAtOnce) {
  // The announcement takes the burst with it; until the rest follows there are 0.2 ms to fill the bucket again.
  machine_.burst_bytes = 100'000;
  EXPECT_NEAR(makespan_ms(2'000'000, 2'000'000), 2 + 3 * 0.1 + 1 - 0.065536 - 0.1 + 2, 1e-3);
}

TEST(ProgressOfCalls, BothDriversAgreeOnRandomMappings) {
  const std::vector<Agreement> found = agreements(30, 3, Progress::calls);
  EXPECT_LE(error_quantile(found, 0.5), 0.02);
  EXPECT_LE(error_quantile(found, 0.95), 0.06);
  EXPECT_GE(rank_correlation(found), 0.99);
}

}  // namespace
}  // namespace spillway::pipeline
