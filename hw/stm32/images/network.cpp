#include <cstdint>
#include <optional>

#include "hw/stm32/board.hpp"
#include "hw/stm32/card_check.hpp"
#include "hw/stm32/network_tasks.hpp"
#include "hw/stm32/report.hpp"
#include "hw/stm32/swap_loop.hpp"
#include "hw/stm32/tile_buffers.hpp"

/// Runs a network (network.hpp) over all frames that the card has inputs for; the results are on the card afterwards.
namespace {

using namespace spillway;
using namespace spillway::stm32;

// Not on the stack: that is for what nobody can count beforehand.
core::Scheduler scheduler;
RunRecord record;
core::Plan plan;
execution::CardMap map;
std::optional<NetworkTasks> tasks;
std::optional<SwapLoop<NetworkTasks>> loop;

Failure carry_out(const Transfer& transfer) {
  if (const Failure failure = card().start(transfer.direction, transfer.sector, transfer.sectors, transfer.memory))
    return failure;
  return wait_for_card();
}

/// Finds out where to begin, and writes that on the card.
std::uint32_t first_frame() {
  end_if(carry_out(record.transfer(Direction::to_memory)));
  std::uint32_t done = 0;
  switch (record.before(network.identity.plan)) {
    case RunRecord::Before::nothing:
    case RunRecord::Before::complete:
      break;
    case RunRecord::Before::interrupted:
      done = record.frames_done();
      report("the run before was interrupted: going on with its first frame that is not done");
      report("first_frame", done);
      break;
    case RunRecord::Before::damaged:
      report("the run before was interrupted: beginning again");
      report("first_frame", 0);
      break;
  }
  record.start_run(network.identity.plan, network.plan.frames, done, network.plan.window == 1);
  end_if(carry_out(record.transfer(Direction::to_card)));
  return done;
}

void report_use_of_memory() {
  const std::uint64_t buffers = std::uint64_t{network.plan.pools.total()} * network.plan.buffer_bytes;
  if (buffers > tile_buffers().size()) end({Error::memory_small, static_cast<std::uint32_t>(buffers)});
  report("tile_buffers_bytes", buffers);
  report("scheduler_bytes", sizeof scheduler + network.scheduler_words.size_bytes());
}

}  // namespace

extern "C" void pend_sv_interrupt() {
  if (loop) loop->io();
}

extern "C" void image_main() {
  start_board(network.name, static_cast<std::uint32_t>(network.identity.plan));
  end_if(check_plan(network));
  report_use_of_memory();
  end_if(start_card());
  end_if(check_card(network, card().sectors(), carry_out));

  // The frames that are left are a run of their own: its inputs and results lie further back.
  const std::uint32_t first = first_frame();
  plan = network.plan;
  map = network.map;
  plan.frames -= first;
  map.inputs += first * map.input_sectors;
  map.results += first * map.result_sectors;

  const core::Status status = scheduler.start(plan, network.scheduler_words);
  if (status != core::Status::ok) end({Error::plan_refused, static_cast<std::uint32_t>(status)});
  tasks.emplace(network, plan, map, scheduler, record);
  loop.emplace(scheduler, *tasks);
  loop->run();
  loop.reset();
  report("frames_done", first + scheduler.frames_done());
  end({});
}
