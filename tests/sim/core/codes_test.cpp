#include <array>
#include <vector>

#include "comparison.hpp"
#include "plan_tables.hpp"
#include <gtest/gtest.h>

#include "sim/core/scheduler.hpp"

namespace spillway::oracle {
namespace {

using core::Pool;
using core::Status;
using core::Task;
using core::TaskKind;

/// Two tiles with four weight chunks each; the second layer has no weights and is channelwise over two producers.
PlanTables plan() {
  PlanTables tables;
  core::Layer first;
  first.channels = first.tile_channels = 4;
  first.height = first.input_height = 2;
  first.width = first.input_width = first.tile_width = 1;
  first.tile_height = 1;
  first.chunk_filters = 1;
  first.filter_bytes = 5;
  first.filter_work = 5;
  tables.add(first, {{0, 1, 0, core::network_input}});
  core::Layer second = first;
  second.channels = 5;
  second.tile_channels = second.chunk_filters = 1;
  second.filter_bytes = 0;
  second.channelwise = true;
  tables.add(second, {{0, 4, 0, 0}, {4, 1, 0, core::network_input}});
  tables.link();
  tables.settings.pools = core::Pools::quarters(4);
  tables.settings.frames = 2;
  return tables;
}

/// A run of a plan; the tables stay at one place with it.
struct Fixture {
  explicit Fixture(PlanTables plan_tables) : tables(std::move(plan_tables)), storage(storage_words()) {
    EXPECT_EQ(scheduler.start(tables.view(), storage), Status::ok);
  }
  std::uint32_t storage_words() const { return core::Scheduler::storage_words(core::size_of(tables.view())); }

  /// Selects and finishes until nothing can start.
  void run_to_the_end() {
    for (bool moved = true; moved;) {
      moved = false;
      for (const auto& task : {scheduler.select_io(), scheduler.select_compute()}) {
        if (!task) continue;
        EXPECT_EQ(scheduler.finish(*task), Status::ok) << to_string(*task);
        moved = true;
      }
    }
  }

  PlanTables tables;
  std::vector<std::uint32_t> storage;
  core::Scheduler scheduler;
};

TEST(Codes, FinishTwice) {
  Fixture run(plan());
  const Task task = run.scheduler.select_io().value();
  EXPECT_EQ(run.scheduler.finish(task), Status::ok);
  EXPECT_EQ(run.scheduler.finish(task), Status::not_selected);
}

TEST(Codes, FinishOfATaskThatWasNeverSelected) {
  Fixture run(plan());
  const std::array never{
      Task{0, 0, 0, 0, TaskKind::read_input},   Task{0, 1, 0, 0, TaskKind::read_input},
      Task{0, 0, 3, 0, TaskKind::read_weights}, Task{0, 0, 3, 0, TaskKind::compute},
      Task{0, 1, 0, 1, TaskKind::write_output}, Task{1, 0, 0, 0, TaskKind::read_input},
      Task{1, 9, 1, 1, TaskKind::read_input},
  };
  for (const Task& task : never)
    EXPECT_EQ(run.scheduler.finish(task), Status::not_selected) << to_string(task);
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
  for (const Task& task : never)
    EXPECT_EQ(run.scheduler.finish(task), Status::not_selected) << to_string(task);
}

TEST(Codes, FinishOfATaskThatThePlanDoesNotHave) {
  Fixture run(plan());
  ASSERT_TRUE(run.scheduler.select_io());
  for (const Task& task : {
           Task{2, 0, 0, 0, TaskKind::read_input},  // frame
           Task{0xFFFFFFFF, 0, 0, 0, TaskKind::read_input},
           Task{0, 0, 0, 2, TaskKind::read_input},  // layer
           Task{0, 0, 0, core::network_input, TaskKind::read_input},
           Task{0, 2, 0, 0, TaskKind::read_input},  // tile
           Task{0, 0xFFFFFFFF, 0, 0, TaskKind::write_output},
           Task{0, 0, 1, 0, TaskKind::read_input},    // part
           Task{0, 0, 4, 0, TaskKind::read_weights},  // chunk
           Task{0, 0, 4, 0, TaskKind::compute},
           Task{0, 0, 0xFFFFFFFF, 0, TaskKind::compute},
           Task{0, 0, 1, 0, TaskKind::write_output},  // a tile is written once
           Task{0, 0, 0, 1, TaskKind::read_weights},  // a layer without weights
           Task{0, 0, 1, 1, TaskKind::compute},       // ... has one chunk
           Task{0, 0, 1, 1, TaskKind::read_input},    // a part that gives nothing to the tile
           Task{0, 8, 0, 1, TaskKind::read_input},
       }) {
    EXPECT_EQ(run.scheduler.finish(task), Status::unknown_task) << to_string(task);
  }
}

TEST(Codes, ADoneRunSelectsNothingAndIsNotStalled) {
  Fixture run(plan());
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
  EXPECT_FALSE(run.scheduler.stalled());
  EXPECT_EQ(run.scheduler.frames_done(), 2U);
  EXPECT_FALSE(run.scheduler.select_io());
  EXPECT_FALSE(run.scheduler.select_compute());
  std::array<core::Waiting, 3> waiting;
  EXPECT_EQ(run.scheduler.waiting(waiting), 0U);
}

/// All buffers of one shared pool in the hands of the first tile's input and its weights: the paper's own example.
TEST(Codes, AStalledRunSaysWhoWaitsForWhichPool) {
  PlanTables tables = plan();
  tables.settings.pools.shared = true;
  Fixture run(tables);
  EXPECT_FALSE(run.scheduler.stalled());
  ASSERT_EQ(run.scheduler.finish(run.scheduler.select_io().value()), Status::ok);
  std::vector<Task> weights;
  while (const auto task = run.scheduler.select_io())
    weights.push_back(*task);
  ASSERT_EQ(weights.size(), 3U);
  EXPECT_FALSE(run.scheduler.select_compute());
  for (const Task& task : weights) {
    EXPECT_FALSE(run.scheduler.stalled()) << "something is under way";
    ASSERT_EQ(run.scheduler.finish(task), Status::ok);
  }
  EXPECT_TRUE(run.scheduler.stalled());
  EXPECT_FALSE(run.scheduler.done());

  std::array<core::Waiting, 3> waiting;
  ASSERT_EQ(run.scheduler.waiting(waiting), 3U);
  const std::array expected{
      std::pair{Pool::input, Task{0, 1, 0, 0, TaskKind::read_input}},
      std::pair{Pool::weights, Task{0, 0, 3, 0, TaskKind::read_weights}},
      std::pair{Pool::output, Task{0, 0, 0, 0, TaskKind::compute}},
  };
  for (const auto& [pool, task] : expected) {
    bool found = false;
    for (const core::Waiting& one : waiting) {
      if (one.pool != pool) continue;
      found = true;
      EXPECT_EQ(to_string(one.task), to_string(task));
      EXPECT_EQ(one.needed, 1);
      EXPECT_EQ(one.free, 0);
    }
    EXPECT_TRUE(found) << to_string(task);
  }
}

/// Expects a refusal by check() and by start(), and nothing to run after it.
void expect_refused(const PlanTables& tables, Status reason) {
  EXPECT_EQ(core::Scheduler::check(tables.view()), reason) << tables.dump();
  std::vector<std::uint32_t> storage(4096);
  core::Scheduler scheduler;
  EXPECT_EQ(scheduler.start(tables.view(), storage), reason) << tables.dump();
  EXPECT_FALSE(scheduler.select_io());
  EXPECT_FALSE(scheduler.select_compute());
  EXPECT_FALSE(scheduler.stalled());
}

TEST(Codes, ARefusedStartEndsTheRunBeforeIt) {
  Fixture run(plan());
  ASSERT_TRUE(run.scheduler.select_io());
  EXPECT_EQ(run.scheduler.start(run.tables.view(), {}), Status::storage_small);
  EXPECT_FALSE(run.scheduler.select_io());
  EXPECT_FALSE(run.scheduler.select_compute());
  EXPECT_NE(run.scheduler.finish({0, 0, 0, 0, TaskKind::read_input}), Status::ok);
}

TEST(Codes, CheckTakesAPlanThatCanRun) {
  EXPECT_EQ(core::Scheduler::check(plan().view()), Status::ok);
}

TEST(Codes, CheckRefusesAPlanWithNothingToDo) {
  expect_refused({}, Status::no_layers);
  PlanTables tables = plan();
  tables.settings.frames = 0;
  expect_refused(tables, Status::no_layers);
  tables = plan();
  tables.settings.window = 0;
  expect_refused(tables, Status::no_layers);
  tables = plan();
  tables.layers[1].parts = 0;
  expect_refused(tables, Status::no_layers);
  for (std::uint32_t core::Layer::*extent : {&core::Layer::groups, &core::Layer::rows, &core::Layer::columns}) {
    tables = plan();
    tables.layers[1].*extent = 0;
    expect_refused(tables, Status::no_layers);
  }
}

TEST(Codes, CheckRefusesAnEmptyPool) {
  for (std::uint16_t core::Pools::*pool : {&core::Pools::input, &core::Pools::weights, &core::Pools::output}) {
    PlanTables tables = plan();
    tables.settings.pools.*pool = 0;
    expect_refused(tables, Status::too_few_buffers);
  }
  PlanTables tables = plan();
  tables.settings.pools = core::Pools::quarters(3);
  expect_refused(tables, Status::too_few_buffers);
}

TEST(Codes, CheckRefusesATileThatCanNeverStart) {
  PlanTables tables = plan();
  tables.layers[1].input_buffers = 2;
  expect_refused(tables, Status::input_pool_small);
  tables.settings.queue = core::Queue::strict;
  expect_refused(tables, Status::input_pool_small);
  tables.settings.pools = core::Pools::quarters(8);
  EXPECT_EQ(core::Scheduler::check(tables.view()), Status::ok);
}

TEST(Codes, CheckRefusesFewerOutputThanInputBuffers) {
  PlanTables tables = plan();
  tables.settings.pools = {2, 2, 1, false};
  expect_refused(tables, Status::output_pool_small);
}

/// Both kinds of pins: two groups of two tiles with two chunks each, kept for a layer without pins.
PlanTables plan_with_pins() {
  PlanTables tables;
  core::Layer first;
  first.channels = 4;
  first.tile_channels = 2;
  first.height = first.input_height = 2;
  first.width = first.input_width = first.tile_width = 1;
  first.tile_height = 1;
  first.chunk_filters = 1;
  first.filter_bytes = 5;
  first.weight_pins = 2;
  first.output_pins = 4;
  first.waits_for_all = true;
  tables.add(first, {{0, 1, 0, core::network_input}});
  core::Layer second = first;
  second.weight_pins = second.output_pins = second.input_buffers = 0;
  second.waits_for_all = false;
  tables.add(second, {{0, 4, 0, 0, true}});
  tables.link();
  tables.settings.pools = {1, 4, 5, false};
  tables.settings.frames = 2;
  return tables;
}

TEST(Codes, APlanWithPinsIsDone) {
  Fixture run(plan_with_pins());
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
}

TEST(Codes, FinishOfATaskThatThePlanDoesNotHaveForItsPins) {
  Fixture run(plan_with_pins());
  const std::array unknown{
      Task{0, 0, 0, 0, TaskKind::write_output},                                          // a kept output
      Task{1, 3, 0, 0, TaskKind::write_output}, Task{0, 0, 0, 1, TaskKind::read_input},  // a resident part
      Task{0, 1, 0, 0, TaskKind::read_weights},  // a later tile of the first group
      Task{0, 3, 1, 0, TaskKind::read_weights},  // ... of the second one
      Task{0, 0, 2, 0, TaskKind::read_weights},
  };
  const std::array known{
      Task{0, 2, 1, 0, TaskKind::read_weights}, Task{0, 3, 1, 0, TaskKind::compute},
      Task{0, 3, 0, 0, TaskKind::read_input},   Task{0, 3, 1, 1, TaskKind::read_weights},
      Task{0, 3, 0, 1, TaskKind::write_output},
  };
  const auto expect_codes = [&] {
    for (const Task& task : unknown)
      EXPECT_EQ(run.scheduler.finish(task), Status::unknown_task) << to_string(task);
    for (const Task& task : known)
      EXPECT_EQ(run.scheduler.finish(task), Status::not_selected) << to_string(task);
  };
  expect_codes();
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
  expect_codes();
}

TEST(Codes, CheckRefusesPinsOutsideTheClaim) {
  PlanTables tables = plan_with_pins();
  tables.settings.pools.shared = true;
  expect_refused(tables, Status::pins_large);
  tables = plan_with_pins();
  tables.settings.queue = core::Queue::strict;
  expect_refused(tables, Status::pins_large);
}

TEST(Codes, CheckRefusesPinsThatLeaveTooLittle) {
  ASSERT_EQ(core::Scheduler::check(plan_with_pins().view()), Status::ok);
  PlanTables tables = plan_with_pins();
  tables.settings.pools.weights = 3;
  expect_refused(tables, Status::pins_large);
  tables = plan_with_pins();
  tables.settings.pools.output = 4;
  expect_refused(tables, Status::pins_large);
}

TEST(Codes, CheckRefusesPinsThatDoNotHoldWhatTheyAreFor) {
  PlanTables tables = plan_with_pins();
  tables.layers[0].weight_pins = 1;  // of two chunks
  expect_refused(tables, Status::pins_large);
  for (const std::uint16_t pins : {std::uint16_t{3}, std::uint16_t{5}}) {
    tables = plan_with_pins();
    tables.settings.pools.output = 8;
    tables.layers[0].output_pins = pins;  // of four tiles
    expect_refused(tables, Status::pins_large);
  }
  tables = plan_with_pins();
  tables.layers[0].filter_bytes = 0;  // no weights
  tables.layers[0].chunks = 1;
  expect_refused(tables, Status::pins_large);
}

TEST(Codes, CheckRefusesAKeptOutputThatTheNextRowAloneDoesNotRead) {
  PlanTables tables = plan_with_pins();
  tables.layers.pop_back();  // nobody reads it
  tables.link();
  expect_refused(tables, Status::pins_large);
  tables = plan_with_pins();
  tables.add(tables.layers[1], {{0, 4, 0, 0, true}});  // a second reader
  tables.link();
  expect_refused(tables, Status::pins_large);
  tables = plan_with_pins();
  tables.layers.insert(tables.layers.begin() + 1, tables.layers[1]);  // the reader is not the next row
  tables.layers[1].input_buffers = 1;
  tables.layers[1].first_part = static_cast<std::uint16_t>(tables.parts.size());
  tables.parts.push_back({0, 1, 0, core::network_input});
  tables.link();
  expect_refused(tables, Status::pins_large);
  tables = plan_with_pins();
  tables.layers[1].weight_pins = 2;  // the reader would wait for its pins
  tables.layers[1].waits_for_all = true;
  expect_refused(tables, Status::pins_large);
}

TEST(Codes, CheckRefusesPinsOfALayerThatDoesNotWaitForAll) {
  PlanTables tables = plan_with_pins();
  tables.layers[0].waits_for_all = false;
  expect_refused(tables, Status::pins_large);
}

TEST(Codes, CheckRefusesATileWithoutInput) {
  PlanTables tables = plan_with_pins();
  tables.parts[1].resident = false;
  expect_refused(tables, Status::no_layers);
}

TEST(Codes, StartRefusesStorageThatIsTooSmall) {
  const PlanTables tables = plan();
  const std::uint32_t words = core::Scheduler::storage_words(core::size_of(tables.view()));
  ASSERT_GT(words, 0U);
  std::vector<std::uint32_t> storage(words);
  core::Scheduler scheduler;
  EXPECT_EQ(scheduler.start(tables.view(), std::span(storage).first(words - 1)), Status::storage_small);
  EXPECT_FALSE(scheduler.select_io());
  EXPECT_FALSE(scheduler.select_compute());
  EXPECT_EQ(scheduler.start(tables.view(), {}), Status::storage_small);
  EXPECT_EQ(scheduler.start(tables.view(), storage), Status::ok);
  EXPECT_TRUE(scheduler.select_io());
}

TEST(Codes, StartBeginsAgain) {
  Fixture run(plan());
  ASSERT_TRUE(run.scheduler.select_io());
  ASSERT_EQ(run.scheduler.start(run.tables.view(), run.storage), Status::ok);
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
}

TEST(Codes, StorageBeyondItsEndStaysUntouched) {
  Fixture run(plan());
  const std::uint32_t words = run.storage_words();
  std::vector<std::uint32_t> storage(words + 16, 0xA5A5A5A5);
  ASSERT_EQ(run.scheduler.start(run.tables.view(), std::span(storage).first(words)), Status::ok);
  run.run_to_the_end();
  EXPECT_TRUE(run.scheduler.done());
  for (std::size_t word = words; word < storage.size(); ++word)
    EXPECT_EQ(storage[word], 0xA5A5A5A5);
}

}  // namespace
}  // namespace spillway::oracle
