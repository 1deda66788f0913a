#include "experiments/traces/replay.hpp"

#include <algorithm>
#include <utility>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "models/load.hpp"
#include "platforms/board.hpp"
#include "sim/core/geometry.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::traces {
namespace {

class Keep final : public trace::Sink {
 public:
  void record(const trace::Record& record) override { run.records.push_back(record); }
  void pools(const trace::PoolLevels&) override {}
  RunTrace run;
};

tiling::SwapPlan plan_of(const char* network, tiling::Rule rule, std::uint64_t buffer_kib) {
  tiling::Request request;
  request.rule = rule;
  request.sram_bytes = 64 << 10;
  request.buffer_bytes = buffer_kib << 10;
  request.frames = 3;
  request.window = 2;
  return tiling::make_plan(models::load(network).network, request);
}

RunTrace run_of(const tiling::SwapPlan& plan, double contention) {
  platforms::Board board = platforms::load_board("stm32f746g-disco");
  board.contention.value = contention;
  Keep keep;
  swap::simulate(plan, board, platforms::load_card("f746-disco-measured"), {.sink = &keep});
  keep.run.name = "simulated";
  std::ranges::stable_sort(keep.run.records, {}, &trace::Record::start_ns);
  return keep.run;
}

// In the simulator a task starts as soon as it can.
TEST(Replay, ASimulatedTaskIsReadyWhenItStarts) {
  for (const char* const network : {"tiny-residual", "tiny-inception", "tiny-depthwise"}) {
    for (const tiling::Rule rule : {tiling::Rule::halo, tiling::Rule::min_traffic}) {
      for (const std::uint64_t buffer : {2, 4}) {
        const tiling::SwapPlan plan = plan_of(network, rule, buffer);
        const Replay replayed = replay(plan.view(), run_of(plan, 0.2));
        EXPECT_TRUE(replayed.complete);
        for (const ServedTask& task : replayed.tasks)
          ASSERT_EQ(task.ready_ns, task.record.start_ns) << network << " " << buffer;
      }
    }
  }
}

// Under contention a compute task takes its own time and the share of the time under transfers.
TEST(Replay, OverlapsExplainContention) {
  const tiling::SwapPlan plan = plan_of("tiny-residual", tiling::Rule::halo, 4);
  const Replay alone = replay(plan.view(), run_of(plan, 0)), slowed = replay(plan.view(), run_of(plan, 0.2));
  const auto time_of = [](const Replay& replayed, const core::Task& task) -> const ServedTask& {
    return *std::ranges::find(replayed.tasks, task, [](const ServedTask& each) { return each.record.task; });
  };
  std::size_t overlapped = 0;
  for (const ServedTask& task : slowed.tasks) {
    if (core::is_io(task.record.task.kind)) continue;
    const double own = static_cast<double>(time_of(alone, task.record.task).service_ns());
    EXPECT_NEAR(static_cast<double>(task.service_ns()), own + 0.2 * static_cast<double>(task.overlap_ns), 20);
    overlapped += task.overlap_ns > 0 ? 1 : 0;
  }
  EXPECT_GT(overlapped, 10u);
}

TEST(Replay, ATaskThatStartsLateWasReadyBefore) {
  const tiling::SwapPlan plan = plan_of("tiny-chain", tiling::Rule::halo, 4);
  RunTrace run = run_of(plan, 0);
  for (trace::Record& record : run.records)
    record.start_ns += 1000;
  for (const ServedTask& task : replay(plan.view(), run).tasks)
    EXPECT_EQ(task.dispatch_ns(), 1000u);
}

TEST(Replay, WithMissingTasksNothingIsSaidAboutReadiness) {
  const tiling::SwapPlan plan = plan_of("tiny-chain", tiling::Rule::halo, 4);
  RunTrace run = run_of(plan, 0);
  run.records.erase(run.records.begin() + 3);
  const Replay replayed = replay(plan.view(), run);
  EXPECT_FALSE(replayed.complete);
  EXPECT_EQ(replayed.tasks.size(), run.records.size());
}

TEST(Replay, OtherBytesAreNamed) {
  const tiling::SwapPlan plan = plan_of("tiny-chain", tiling::Rule::halo, 4);
  RunTrace run = run_of(plan, 0);
  run.records.front().bytes += 512;
  try {
    replay(plan.view(), run);
    FAIL();
  } catch (const TraceError& error) {
    EXPECT_THAT(error.what(), ::testing::HasSubstr("bytes, in the plan"));
  }
}

}  // namespace
}  // namespace spillway::traces
