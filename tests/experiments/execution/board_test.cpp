#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include <gtest/gtest.h>

#include "sim/core/layout.hpp"
#include "tests/experiments/execution/deployed.hpp"
#include "tests/paths/paths.hpp"

/// Trained networks, quantised, swapped between SRAM and card by the firmware on the virtual board: the same results,
/// bit for bit, as the host computes with everything in memory.
namespace spillway::experiments::tests {
namespace {

namespace fs = std::filesystem;
using stm32::tests::BoardRun;
using stm32::tests::Folder;
using stm32::tests::run_on_board;

/// Some layer has several tiles and several chunks of weights: it is really swapped.
bool swaps(const core::Plan& plan) {
  return std::any_of(plan.layers.begin(), plan.layers.end(),
                     [](const core::Layer& layer) { return layer.tiles() > 1 && layer.chunks > 1; });
}

void expect_whole_trace(const core::Plan& plan, const BoardRun& run) {
  EXPECT_EQ(run.trace.statistics.damaged_frames + run.trace.statistics.lost_messages, 0u);
  std::uint64_t tasks = 0;
  for (const trace::Record& record : run.trace.records()) {
    ++tasks;
    ASSERT_EQ(record.bytes, core::is_io(record.task.kind) ? core::bytes_of(plan, record.task) : 0)
        << "layer " << record.task.layer << ", tile " << record.task.tile;
  }
  std::uint64_t computes = 0;
  for (const core::Layer& layer : plan.layers)
    computes += std::uint64_t{layer.tiles()} * plan.frames;
  EXPECT_GT(tasks, 3 * computes);
}

void expect_right(const std::string& name, const tiling::Request& request) {
  const Deployed deployed(name, request);
  ASSERT_TRUE(swaps(deployed.run().plan()));
  const Folder folder;
  fs::copy_file(deployed.card(), folder / "card");
  const BoardRun run = run_on_board(deployed.image(), folder / "card");
  ASSERT_EQ(run.status, 0) << run.description();
  EXPECT_EQ(run.complaints, "");
  deployed.expect_right_results(folder / "card");
  deployed.expect_right_maps(folder / "card");
  expect_whole_trace(deployed.run().plan(), run);
  EXPECT_LE(run.trace.value("deepest_stack_bytes").value_or(100000), 2048u);
  EXPECT_EQ(run.trace.value("tile_buffers_bytes"), deployed.memory().tile_buffers_bytes);
  testing::Test::RecordProperty("deepest_stack_bytes",
                                std::to_string(run.trace.value("deepest_stack_bytes").value_or(0)));

  EXPECT_EQ(
      std::system(("'" + paths::source("scripts/check-firmware") + "' '" + deployed.image().string() + "'").c_str()),
      0);

  // Once more, from the same card.
  fs::copy_file(deployed.card(), folder / "again");
  EXPECT_EQ(run_on_board(deployed.image(), folder / "again").bytes, run.bytes) << "two runs, one trace";
}

TEST(Board, ClassifiesFashionWith32KiBOfTileBuffers) {
  expect_right("fmnist_vggmini", request_for(32, 4, 20));
}

TEST(Board, ClassifiesWithAMegabyteOfWeights) {
  const quantized::QuantizedNetwork wide = trained("fmnist_wide");
  std::size_t weights = 0;
  for (const auto& [name, numbers] : wide.weights)
    weights += numbers.weights.size();
  ASSERT_GT(weights, 1'000'000u);
  expect_right("fmnist_wide", request_for(256, 4, 20));
}

}  // namespace
}  // namespace spillway::experiments::tests
