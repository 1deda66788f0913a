#include <cstdint>

#include <gtest/gtest.h>

#include "experiments/traces/fit.hpp"
#include "experiments/traces/prediction.hpp"
#include "experiments/traces/run_trace.hpp"
#include "models/load.hpp"
#include "sim/tiling/swap_plan.hpp"
#include "tests/paths/paths.hpp"

/// What others measured (hw/measured) fits its networks.
namespace spillway::traces {
namespace {

tiling::SwapPlan in_one_piece(const char* network) {
  tiling::Request request;
  request.rule = tiling::Rule::halo;
  request.sram_bytes = 1 << 20;
  request.buffer_bytes = 256 << 10;
  return tiling::make_plan(models::load(network).network, request);
}

TEST(Measured, LayersOfTheH743) {
  const RunTrace run = read_run(paths::source("hw/measured/stm32h743-mobilenet-0.25-160.csv"), 400e6);
  const tiling::SwapPlan plan = in_one_piece("mobilenet-0.25-160");
  ASSERT_EQ(run.records.size(), plan.layers.size());
  std::uint64_t nanoseconds = 0;
  for (const trace::Record& record : run.records) {
    EXPECT_EQ(run.layer_name(record.task.layer), plan.layer_names[record.task.layer]);
    EXPECT_EQ(plan.layers[record.task.layer].tiles(), 1u) << "in one piece";
    nanoseconds += record.end_ns - record.start_ns;
  }
  EXPECT_NEAR(static_cast<double>(nanoseconds), (65'818'002 - 22'301) * 2.5, 30) << "the published sum";

  const Figures before{platforms::load_board("stm32h743"), platforms::load_card("a1-class")};
  const std::vector<bool> held_out = usual_hold_out(plan.view());
  const Replay replayed = replay(plan.view(), run);
  const Figures after = fit_figures(plan.view(), replayed, held_out, before, "test");
  const Prediction is = predict(plan, after, replayed);
  EXPECT_GE(is.errors(held_out, true, false).count, 8u);
  EXPECT_LT(*is.errors(held_out, false, false).mean_absolute, 0.25);
  EXPECT_LT(*is.errors(held_out, true, false).mean_absolute, 0.35);
  EXPECT_EQ(after.card.read_overhead.value, before.card.read_overhead.value) << "no IO was measured";
}

}  // namespace
}  // namespace spillway::traces
