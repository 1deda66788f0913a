#include <algorithm>
#include <string>
#include <tuple>
#include <vector>

#include "card_on_disk.hpp"
#include "temporary_folder.hpp"
#include <gtest/gtest.h>

#include "experiments/execution/board_clock.hpp"
#include "models/zoo.hpp"
#include "sim/swap/simulate.hpp"
#include "sim/trace/names.hpp"

namespace spillway::experiments {
namespace {

class Recorder final : public trace::Sink {
 public:
  void record(const trace::Record& record) override { records.push_back(record); }
  void pools(const trace::PoolLevels&) override {}

  std::vector<trace::Record> records;
};

std::string to_text(const core::Task& task) {
  return std::string(trace::to_string(task.kind)) + " frame " + std::to_string(task.frame) + " layer " +
         std::to_string(task.layer) + " tile " + std::to_string(task.tile) + " index " + std::to_string(task.index);
}

std::vector<std::string> tasks_of(const std::vector<trace::Record>& records) {
  std::vector<std::string> tasks;
  for (const trace::Record& record : records)
    tasks.push_back(to_text(record.task));
  return tasks;
}

/// The tasks of a simulated run in the order in which they were selected: at one instant IO first.
std::vector<std::string> decisions_of(std::vector<trace::Record> records) {
  std::ranges::stable_sort(records, {}, [](const trace::Record& record) {
    return std::tuple(record.start_ns, !core::is_io(record.task.kind));
  });
  return tasks_of(records);
}

/// The runtime in lockstep and a simulated run of the same plan on the same board make the same decisions, and what is
/// computed is right.
void expect_same_decisions(const char* name, std::uint64_t buffer_bytes, tiling::Rule rule, const char* board_name) {
  SCOPED_TRACE(std::string(name) + ", " + std::to_string(buffer_bytes) + ", " + std::string(to_string(rule)) + ", " +
               board_name);
  const models::Network network = *models::zoo(name);
  tiling::Request request;
  request.buffer_bytes = buffer_bytes;
  request.sram_bytes = 16 * buffer_bytes;
  request.rule = rule;
  request.frames = 2;
  request.window = 2;
  const tiling::SwapPlan plan = tiling::make_plan(network, request);
  const platforms::Board board = platforms::load_board(board_name);
  const platforms::Card card = platforms::load_card("swapnn-paper");

  for (const swap::Driver driver : {swap::Driver::virtual_clock, swap::Driver::simgrid}) {
    // Under contention SimGrid may order completions closer than 10 ns in another way.
    if (driver == swap::Driver::simgrid && board.contention.value != 0) continue;
    Recorder simulated;
    swap::simulate(plan, board, card, {.driver = driver, .sink = &simulated});

    const mpi::TemporaryFolder folder;
    tiling::Random random(7);
    const execution::CardOnDisk on_disk(network, plan, folder.path() / "card", random);
    const swap::ServiceTimes times(on_disk.plan(), board, card);
    const auto clock = board_clock(times);
    Recorder real;
    std::vector<std::string> decisions;
    execution::RunOptions options;
    options.lockstep = clock.get();
    options.sink = &real;
    options.selected = [&decisions](const core::Task& task) { decisions.push_back(to_text(task)); };
    on_disk.run(options);
    on_disk.expect_results();
    EXPECT_EQ(decisions, decisions_of(simulated.records));
    EXPECT_EQ(tasks_of(real.records), tasks_of(simulated.records));
  }
}

TEST(Lockstep, MakesTheDecisionsOfTheSimulators) {
  for (const char* const network : {"tiny-chain", "tiny-inception", "tiny-residual", "tiny-depthwise"}) {
    for (const std::uint64_t buffer : {1024U, 2048U, 4096U}) {
      expect_same_decisions(network, buffer, tiling::Rule::halo, "swapnn-paper");
      expect_same_decisions(network, buffer, tiling::Rule::min_traffic, "stm32f746g-disco");
    }
  }
}

}  // namespace
}  // namespace spillway::experiments
