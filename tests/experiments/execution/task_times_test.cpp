#include "experiments/execution/task_times.hpp"

#include <fstream>
#include <vector>

#include "temporary_folder.hpp"
#include <gtest/gtest.h>

#include "models/zoo.hpp"
#include "platforms/problems.hpp"
#include "sim/core/geometry.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::experiments {
namespace {

tiling::SwapPlan plan_of(std::uint64_t buffer_bytes, tiling::Rule rule) {
  tiling::Request request;
  request.buffer_bytes = buffer_bytes;
  request.sram_bytes = 16 * buffer_bytes;
  request.rule = rule;
  return tiling::make_plan(*models::zoo("mobilenet"), request);
}

constexpr std::uint32_t landing_bytes = 2048;

const TaskTimes known{{40, 12, 0.5, 0.1},
                      {60, 20, 1.5, 0.2},
                      3,
                      {{{0.4, 2, 1}, {0.3, 3, 0.5}, {1.2, 0, 0}, {0.5, 1, 0}, {2, 0, 0}, {1, 0, 0}}},
                      7,
                      5,
                      {}};

/// One record for every task of a plan, with the known times.
std::vector<trace::Record> records_of(const CarriedPlan& carried) {
  const core::Plan& plan = carried.plan;
  std::vector<trace::Record> records;
  const auto duration = known.durations(carried);
  std::uint64_t io_ns = 0, compute_ns = 0;
  const auto add = [&](core::Task task) {
    std::uint64_t& now_ns = core::is_io(task.kind) ? io_ns : compute_ns;
    const std::uint64_t begin_ns = now_ns + (core::is_io(task.kind) ? 7000 : 5000);
    now_ns = begin_ns + duration(task);
    records.push_back({task, begin_ns, now_ns, core::bytes_of(plan, task)});
  };
  for (std::uint32_t row = 0; row < plan.layers.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    const auto number = static_cast<core::LayerIndex>(row);
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
      add({0, tile, 0, number, core::TaskKind::read_input});
      for (std::uint32_t chunk = 0; chunk < core::chunks_of(layer, tile); ++chunk) {
        if (core::reads_weights(layer, tile)) add({0, tile, chunk, number, core::TaskKind::read_weights});
        add({0, tile, chunk, number, core::TaskKind::compute});
      }
      add({0, tile, 0, number, core::TaskKind::write_output});
    }
  }
  return records;
}

TEST(TaskTimes, AreFoundAgainAndPredictAnotherPlan) {
  const tiling::SwapPlan made = plan_of(16 << 10, tiling::Rule::halo);
  const core::Plan plan = made.view();
  std::vector<execution::LayerPlace> places(plan.layers.size());
  const execution::CardMap map = execution::lay_out(plan, places);
  const CarriedPlan carried{plan, map, landing_bytes};
  const TaskTimes fit = fit_times(carried, records_of(carried));
  EXPECT_NEAR(fit.read.task, known.read.task, 0.01);
  EXPECT_NEAR(fit.read.command, known.read.command, 0.01);
  EXPECT_NEAR(fit.read.kilobyte, known.read.kilobyte, 0.01);
  EXPECT_NEAR(fit.compute, known.compute, 0.01);
  EXPECT_EQ(fit.io_gap, 7);
  EXPECT_EQ(fit.compute_gap, 5);

  const tiling::SwapPlan other_made = plan_of(8 << 10, tiling::Rule::halo);
  const core::Plan other = other_made.view();
  std::vector<execution::LayerPlace> other_places(other.layers.size());
  const execution::CardMap other_map = execution::lay_out(other, other_places);
  const CarriedPlan other_carried{other, other_map, landing_bytes};
  const auto exact = static_cast<double>(predicted_makespan(other_carried, known));
  EXPECT_NEAR(static_cast<double>(predicted_makespan(other_carried, fit)), exact, 1e-3 * exact);
}

TEST(TaskTimes, AreReadAsWritten) {
  const mpi::TemporaryFolder folder;
  write_times(folder.path() / "times.json", known);
  const TaskTimes again = read_times(folder.path() / "times.json");
  EXPECT_EQ(again.read.command, known.read.command);
  EXPECT_EQ(again.write.kilobyte, known.write.kilobyte);
  EXPECT_EQ(again.work[1].output, known.work[1].output);
  EXPECT_EQ(again.io_gap, known.io_gap);
  EXPECT_FALSE(again.card.has_value());

  std::ofstream(folder.path() / "other.json") << "{}";
  EXPECT_THROW(read_times(folder.path() / "other.json"), platforms::InputError);
  EXPECT_THROW(read_times(folder.path() / "none.json"), platforms::InputError);
}

}  // namespace
}  // namespace spillway::experiments
