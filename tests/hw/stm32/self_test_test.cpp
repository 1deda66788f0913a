#include <algorithm>
#include <set>
#include <tuple>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "hw/stm32/errors.hpp"
#include "tests/hw/stm32/virtual_board.hpp"

namespace spillway::stm32 {
namespace {

using core::TaskKind;
using tests::BoardRun;
using tests::run_on_board;

BoardRun self_test(const std::vector<std::string>& options = {}) {
  const tests::Folder folder;
  tests::make_card(folder / "card");
  return run_on_board(tests::image("self_test"), folder / "card", options);
}

/// Nanoseconds during which both resources work.
std::uint64_t overlap_ns(const std::vector<trace::Record>& records) {
  std::uint64_t sum = 0;
  for (const trace::Record& io : records) {
    if (io.task.kind == TaskKind::compute) continue;
    for (const trace::Record& compute : records) {
      if (compute.task.kind != TaskKind::compute) continue;
      const std::uint64_t begin = std::max(io.start_ns, compute.start_ns), end = std::min(io.end_ns, compute.end_ns);
      if (begin < end) sum += end - begin;
    }
  }
  return sum;
}

TEST(SelfTest, RunsWellAndTwiceTheSame) {
  const BoardRun run = self_test();
  ASSERT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  ASSERT_TRUE(run.trace.start && run.trace.end);
  EXPECT_EQ(run.trace.start->program, "self-test");
  EXPECT_EQ(run.trace.start->clock_hz, 216'000'000u);
  EXPECT_EQ(run.trace.end->code, 0);
  EXPECT_EQ(run.trace.value("card_sectors"), 131072u);
  EXPECT_EQ(run.trace.value("frames_done"), 3u);
  EXPECT_EQ(run.trace.statistics.damaged_frames, 0u);
  EXPECT_EQ(run.trace.statistics.lost_messages, 0u);

  EXPECT_EQ(self_test().bytes, run.bytes);
}

TEST(SelfTest, TheTraceHasEveryTaskOnceAndBothResourcesAtWork) {
  const BoardRun run = self_test();
  const std::vector<trace::Record> records = run.trace.records();
  // Of a frame: 4 tiles with 1 part, 2 chunks; 2 tiles with 1 part; 2 tiles with 2 parts.
  constexpr std::size_t of_a_frame = 4 * (1 + 2 + 2 + 1) + 2 * (1 + 1 + 1) + 2 * (2 + 1 + 1);
  EXPECT_EQ(records.size(), 3 * of_a_frame);
  std::set<std::tuple<unsigned, unsigned, unsigned, unsigned, unsigned>> tasks;
  std::uint64_t last_io = 0, last_compute = 0;
  for (const trace::Record& record : records) {
    const core::Task& task = record.task;
    tasks.insert({task.frame, task.layer, task.tile, task.index, static_cast<unsigned>(task.kind)});
    std::uint64_t& last = task.kind == TaskKind::compute ? last_compute : last_io;
    EXPECT_GE(record.start_ns, last) << "a resource does one thing at a time";
    EXPECT_GT(record.end_ns, record.start_ns);
    EXPECT_EQ(record.bytes, task.kind == TaskKind::compute ? 0u : 4096u);
    last = record.end_ns;
  }
  EXPECT_EQ(tasks.size(), records.size());
  EXPECT_GT(overlap_ns(records), 1'000'000u) << "DMA moves data while the core computes";
}

TEST(SelfTest, TheCardsTimesAreTheEmulators) {
  // 24 MHz and 4 lines are 12 MB/s; 4 KiB take 341 us.
  const auto fastest_read_us = [](const BoardRun& run) {
    std::uint64_t fastest = UINT64_MAX;
    for (const trace::Record& record : run.trace.records()) {
      if (record.task.kind == TaskKind::read_weights)
        fastest = std::min(fastest, (record.end_ns - record.start_ns) / 1000);
    }
    return fastest;
  };
  const std::uint64_t at_once = fastest_read_us(self_test({"card-read-us=0"}));
  EXPECT_GE(at_once, 341u);
  EXPECT_LE(at_once, 375u) << "commands, interrupts and their handlers";
  const std::uint64_t late = fastest_read_us(self_test({"card-read-us=2000"}));
  EXPECT_NEAR(static_cast<double>(late - at_once), 2000, 5);
  const std::uint64_t slow = fastest_read_us(self_test({"card-read-us=0", "card-read-kib-s=1000"}));
  EXPECT_NEAR(static_cast<double>(slow - at_once), 4000 - 341, 5);
}

TEST(SelfTest, AnEmptySlotIsSaid) {
  const BoardRun run = run_on_board(tests::image("self_test"), std::nullopt);
  EXPECT_TRUE(run.failed_with(Error::no_card)) << run.description();
  EXPECT_EQ(run.complaints, "");
}

TEST(SelfTest, TheStackStaysInItsBound) {
  const BoardRun run = self_test();
  ASSERT_TRUE(run.trace.value("deepest_stack_bytes").has_value());
  EXPECT_LE(*run.trace.value("deepest_stack_bytes"), 2048u);
  RecordProperty("deepest_stack_bytes", static_cast<int>(*run.trace.value("deepest_stack_bytes")));
}

}  // namespace
}  // namespace spillway::stm32
