#include <cmath>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "experiments/execution/task_times.hpp"
#include "experiments/execution/time_errors.hpp"
#include "platforms/card.hpp"
#include "tests/experiments/execution/deployed.hpp"

/// Times fitted to one network at one buffer size on the virtual board predict others.
namespace spillway::experiments::tests {
namespace {

namespace fs = std::filesystem;

/// A network with its trace.
struct Traced {
  Traced(const std::string& name, const tiling::Request& request, const std::vector<std::string>& options = {})
      : deployed(name, request),
        carried{deployed.run().plan(), deployed.run().image().map(), deployed.memory().landing_sectors * 512} {
    const stm32::tests::Folder folder;
    fs::copy_file(deployed.card(), folder / "card");
    const stm32::tests::BoardRun run = stm32::tests::run_on_board(deployed.image(), folder / "card", options);
    EXPECT_EQ(run.status, 0) << run.description();
    records = run.trace.records();
  }

  Deployed deployed;
  CarriedPlan carried;
  std::vector<trace::Record> records;
};

void expect_predicted(const Traced& traced, const TaskTimes& times) {
  const std::uint64_t makespan = makespan_of(traced.records);
  ASSERT_GT(makespan, 0u);
  const auto predicted = static_cast<double>(makespan_of(predicted_run(traced.carried, times)));
  EXPECT_LT(std::abs(predicted / static_cast<double>(makespan) - 1), 0.05);
  const std::size_t rows = traced.carried.plan.layers.size();
  const LayerErrors errors = errors_of(foretold_layers(rows, traced.records, times.durations(traced.carried)),
                                       measured_layers(rows, traced.records));
  EXPECT_LT(errors.io, 0.1);
  EXPECT_LT(errors.compute, 0.1);
  EXPECT_LT(errors.both, 0.1);
}

TEST(BoardPrediction, HoldsForOtherNetworksBuffersAndCards) {
  const platforms::Card card = platforms::load_card("f746-disco-measured");
  const Traced fitted("fmnist_vggmini", request_for(32, 4, 2));
  TaskTimes times = fit_times(fitted.carried, fitted.records);
  times.card = card_times(card);

  expect_predicted(Traced("fmnist_vggmini", request_for(64, 8, 2)), times);
  expect_predicted(Traced("fmnist_wide", request_for(256, 4, 2)), times);

  platforms::Card slow = card;
  slow.read_overhead.value = 560e-6;
  slow.write_overhead.value = 1500e-6;
  expect_predicted(Traced("fmnist_vggmini", request_for(32, 4, 2), {"card-read-us=560", "card-write-us=1500"}),
                   times.with(slow));
}

}  // namespace
}  // namespace spillway::experiments::tests
