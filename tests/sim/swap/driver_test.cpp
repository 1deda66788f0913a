#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "sim/core/geometry.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/counts.hpp"
#include "tests/paths/paths.hpp"

namespace spillway::swap {
namespace {

constexpr std::uint64_t kib = 1024;

tiling::Request request(std::uint64_t sram_kib, std::uint64_t buffer_kib, std::uint32_t frames = 1) {
  tiling::Request made;
  made.sram_bytes = sram_kib * kib;
  made.buffer_bytes = buffer_kib * kib;
  made.frames = frames;
  return made;
}

const platforms::Board& paper_board() {
  static const platforms::Board board = platforms::load_board("swapnn-paper");
  return board;
}

const platforms::Card& paper_card() {
  static const platforms::Card card = platforms::load_card("swapnn-paper");
  return card;
}

/// A golden log: one line for each task with its simulated times.
class Log : public trace::Sink {
 public:
  void record(const trace::Record& record) override {
    static constexpr const char* kinds[] = {"read_input", "read_weights", "compute", "write_output"};
    const core::Task& task = record.task;
    text << record.start_ns << ' ' << record.end_ns << ' ' << kinds[static_cast<int>(task.kind)] << " frame "
         << task.frame << " layer " << task.layer << " tile " << task.tile << " index " << task.index << ' '
         << record.bytes << " B\n";
  }
  void pools(const trace::PoolLevels& levels) override {
    text << levels.time_ns << " buffers " << levels.input << ' ' << levels.weights << ' ' << levels.output << '\n';
  }

  std::ostringstream text;
};

class Drivers : public testing::TestWithParam<Driver> {};

// To accept a change of the model's predictions: SPILLWAY_UPDATE_GOLDEN=1 swap_test
// --gtest_filter='*GoldenLog/VirtualClock'
TEST_P(Drivers, GoldenLog) {
  const std::string path = paths::source("tests/sim/swap/golden/tiny-residual.log");
  Log log;
  simulate(tiling::make_plan(*models::zoo("tiny-residual"), request(16, 1, 2)), paper_board(), paper_card(),
           {Mode::parallel, GetParam(), &log});
  if (std::getenv("SPILLWAY_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << log.text.str();
  std::ifstream file(path);
  std::stringstream golden;
  golden << file.rdbuf();
  EXPECT_EQ(log.text.str(), golden.str());
}

TEST_P(Drivers, SequentialTakesTheSumOfBoth) {
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("tiny-inception"), request(64, 4, 3));
  const Result result = simulate(plan, paper_board(), paper_card(), {Mode::sequential, GetParam(), nullptr});
  EXPECT_EQ(result.makespan_ns, result.io_busy_ns + result.compute_busy_ns);
  EXPECT_EQ(result.hidden_io_ns(), 0U);
}

TEST_P(Drivers, ParallelIsBoundedByTheBusierResourceAndByTheSum) {
  for (const char* network : {"tiny-chain", "tiny-residual", "tiny-inception", "tiny-depthwise", "alexnet"}) {
    const tiling::SwapPlan plan = tiling::make_plan(*models::zoo(network), request(512, 64, 2));
    const Result result = simulate(plan, paper_board(), paper_card(), {Mode::parallel, GetParam(), nullptr});
    EXPECT_GE(result.makespan_ns, std::max(result.io_busy_ns, result.compute_busy_ns)) << network;
    EXPECT_LE(result.makespan_ns, result.io_busy_ns + result.compute_busy_ns) << network;
  }
}

TEST_P(Drivers, DoWhatThePlanCounts) {
  for (const char* network : {"tiny-residual", "tiny-inception", "alexnet", "mobilenet", "resnet18"}) {
    const tiling::SwapPlan plan = tiling::make_plan(*models::zoo(network), request(512, 32, 2));
    const Result result = simulate(plan, paper_board(), paper_card(), {Mode::parallel, GetParam(), nullptr});
    const tiling::TaskCounts counts = tiling::count_tasks(plan.view());
    const tiling::Traffic traffic = tiling::traffic(plan.view());
    EXPECT_EQ(result.io_tasks(), 2 * counts.io()) << network;
    EXPECT_EQ(result.compute_tasks(), 2 * counts.compute) << network;
    EXPECT_EQ(result.bytes_read(), 2 * traffic.read_bytes()) << network;
    EXPECT_EQ(result.bytes_written(), 2 * traffic.output_bytes) << network;
    EXPECT_THAT(result.frame_done_ns, testing::SizeIs(2));
    EXPECT_EQ(result.frame_done_ns.back(), result.makespan_ns) << network;
  }
}

TEST_P(Drivers, OnePoolDeadlocksAndSaysWhoWaits) {
  // SwapNN, section on memory pools: input and weight tiles take every buffer and none is left for an output.
  tiling::Request shared = request(512, 128, 4);
  shared.shared_pool = true;
  const Result result = simulate(tiling::make_plan(*models::zoo("alexnet"), shared), paper_board(), paper_card(),
                                 {Mode::parallel, GetParam(), nullptr});
  EXPECT_TRUE(result.stalled);
  ASSERT_FALSE(result.waiting.empty());
  for (const core::Waiting& waiting : result.waiting)
    EXPECT_LT(waiting.free, waiting.needed);
}

INSTANTIATE_TEST_SUITE_P(Both, Drivers, testing::Values(Driver::virtual_clock, Driver::simgrid),
                         [](const auto& driver) {
                           return driver.param == Driver::simgrid ? "SimGrid" : "VirtualClock";
                         });

TEST(Contention, SlowsComputeWhileTheCardIsBusyByHand) {
  // One resource always busy with IO would slow compute to (1 - c) of its rate; the makespan lies between that and
  // none.
  platforms::Board slow = paper_board();
  slow.contention.value = 0.5;
  const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("vgg16"), request(512, 128));
  const Result without = simulate(plan, paper_board(), paper_card());
  const Result with = simulate(plan, slow, paper_card());
  EXPECT_GT(with.compute_busy_ns, without.compute_busy_ns);
  EXPECT_LT(with.compute_busy_ns, 2 * without.compute_busy_ns);
  // What is lost is half of the time in which both were busy: compute with contention = compute without + lost.
  EXPECT_NEAR(static_cast<double>(with.compute_busy_ns - without.compute_busy_ns),
              0.5 * static_cast<double>(with.hidden_io_ns()), 1e-6 * static_cast<double>(with.makespan_ns));
}

TEST(Plans, ARefusedPlanIsToldApart) {
  tiling::SwapPlan plan = tiling::make_plan(*models::zoo("tiny-chain"), request(64, 4));
  plan.pools.output = 1;
  try {
    simulate(plan, paper_board(), paper_card());
    FAIL() << "a plan with a small output pool was run";
  } catch (const std::invalid_argument& error) {
    EXPECT_STREQ(error.what(), "the plan cannot run: it has fewer output than input buffers and could deadlock");
  }
}

}  // namespace
}  // namespace spillway::swap
