#include <gtest/gtest.h>

#include "tests/hw/stm32/virtual_board.hpp"

/// Both images of the energy benchmark, with 3 of the paper's 1,000 iterations.
namespace spillway::stm32 {
namespace {

using tests::BoardRun;

TEST(EnergyBenchmark, InCoreComputesAlone) {
  const BoardRun run = tests::run_on_board(tests::image("in-core-short"), std::nullopt);
  ASSERT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  EXPECT_EQ(run.trace.value("iterations"), 3u);
  EXPECT_EQ(run.trace.value("writes"), 0u);
}

TEST(EnergyBenchmark, OutOfCoreWritesAllTheTime) {
  const tests::Folder folder;
  tests::make_card(folder / "card");
  const BoardRun run = tests::run_on_board(tests::image("out-of-core-short"), folder / "card");
  ASSERT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  const double seconds = static_cast<double>(run.trace.value("run_ns").value_or(0)) * 1e-9;
  const double writes = static_cast<double>(run.trace.value("writes").value_or(0));
  // 100 KiB at 12 MB/s, and the emulated card's 0.935 ms until they are programmed.
  const double write_s = 102400 / 12e6 + 0.935e-3;
  EXPECT_NEAR(writes, seconds / write_s, 2 + 0.02 * writes);
  EXPECT_EQ(run.trace.value("written_bytes").value_or(0), run.trace.value("writes").value_or(0) * 102400);
}

}  // namespace
}  // namespace spillway::stm32
