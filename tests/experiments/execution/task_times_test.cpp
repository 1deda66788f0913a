#include "experiments/execution/task_times.hpp"

#include <fstream>
#include <iterator>
#include <string>
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
                      {7, 9},
                      {5, 30},
                      {}};

TEST(TaskTimes, AreFoundAgainAndPredictAnotherPlan) {
  const tiling::SwapPlan made = plan_of(16 << 10, tiling::Rule::halo);
  const core::Plan plan = made.view();
  std::vector<execution::LayerPlace> places(plan.layers.size());
  const execution::CardMap map = execution::lay_out(plan, places);
  const CarriedPlan carried{plan, map, landing_bytes};
  const TaskTimes fit = fit_times(carried, predicted_run(carried, known));
  EXPECT_NEAR(fit.read.task, known.read.task, 0.01);
  EXPECT_NEAR(fit.read.command, known.read.command, 0.01);
  EXPECT_NEAR(fit.read.kilobyte, known.read.kilobyte, 0.01);
  EXPECT_NEAR(fit.compute, known.compute, 0.01);
  EXPECT_EQ(fit.io_gap.next, 7);
  EXPECT_EQ(fit.io_gap.wake, 9);
  EXPECT_EQ(fit.compute_gap.next, 5);
  EXPECT_EQ(fit.compute_gap.wake, 30);

  const tiling::SwapPlan other_made = plan_of(8 << 10, tiling::Rule::halo);
  const core::Plan other = other_made.view();
  std::vector<execution::LayerPlace> other_places(other.layers.size());
  const execution::CardMap other_map = execution::lay_out(other, other_places);
  const CarriedPlan other_carried{other, other_map, landing_bytes};
  const auto exact = static_cast<double>(makespan_of(predicted_run(other_carried, known)));
  EXPECT_NEAR(static_cast<double>(makespan_of(predicted_run(other_carried, fit))), exact, 1e-3 * exact);
}

TEST(TaskTimes, AreReadAsWritten) {
  const mpi::TemporaryFolder folder;
  write_times(folder.path() / "times.json", known);
  const TaskTimes again = read_times(folder.path() / "times.json");
  EXPECT_EQ(again.read.command, known.read.command);
  EXPECT_EQ(again.write.kilobyte, known.write.kilobyte);
  EXPECT_EQ(again.work[1].output, known.work[1].output);
  EXPECT_EQ(again.io_gap.wake, known.io_gap.wake);
  EXPECT_EQ(again.compute_gap.next, known.compute_gap.next);
  EXPECT_FALSE(again.card.has_value());

  std::ofstream(folder.path() / "list.json") << "[]";
  EXPECT_THROW(read_times(folder.path() / "list.json"), platforms::InputError);
  EXPECT_THROW(read_times(folder.path()), platforms::InputError);
  std::ofstream(folder.path() / "other.json") << "{}";
  EXPECT_THROW(read_times(folder.path() / "other.json"), platforms::InputError);
  EXPECT_THROW(read_times(folder.path() / "none.json"), platforms::InputError);
}

TEST(TaskTimes, EveryProblemOfAFileIsReported) {
  const mpi::TemporaryFolder folder;
  const std::filesystem::path path = folder.path() / "times.json";
  write_times(path, known);
  std::ifstream file(path);
  std::string text{std::istreambuf_iterator<char>(file), {}};
  text.replace(text.find("\"task_us\": 40"), 13, "\"task_us\": -1");
  text.replace(text.find("\"run_us\""), 8, "\"runs_us\"");
  std::ofstream(path) << text;
  try {
    read_times(path);
    FAIL() << "it was read";
  } catch (const platforms::InputError& error) {
    std::string all;
    for (const platforms::Problem& problem : error.problems())
      all += problem.key + " " + problem.message + "\n";
    EXPECT_NE(all.find("/read/task_us -1"), std::string::npos) << all;
    EXPECT_NE(all.find("/read/run_us is missing"), std::string::npos) << all;
    EXPECT_NE(all.find("/read/runs_us is unknown"), std::string::npos) << all;
    EXPECT_EQ(error.problems().size(), 3u) << all;
  }
}

}  // namespace
}  // namespace spillway::experiments
