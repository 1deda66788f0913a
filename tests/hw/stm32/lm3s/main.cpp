#include <cstdint>
#include <optional>

#include "hw/stm32/card_check.hpp"
#include "hw/stm32/network.hpp"
#include "hw/stm32/network_tasks.hpp"
#include "hw/stm32/run_record.hpp"
#include "hw/stm32/tile_buffers.hpp"
#include "sim/core/scheduler.hpp"
#include "tests/hw/stm32/lm3s/spi_bus.hpp"
#include "tests/hw/stm32/lm3s/spi_card.hpp"

/// Runs a network (hw/stm32/network.hpp) on a machine that others have modelled: QEMU's lm3s6965evb, a Cortex-M3 with
/// an SD card behind SPI. The plan, the scheduler, its tasks and the kernels are those of the firmware, the driver of
/// the card is another one. One task is carried out at a time.
namespace {

using namespace spillway;
using namespace spillway::stm32;

lm3s::SpiBus bus;
lm3s::SpiCard card(bus);
core::Scheduler scheduler;
RunRecord record;

Failure carry_out(const Transfer& transfer) {
  return card.carry_out(transfer);
}

Failure finish(const core::Task& task) {
  const core::Status status = scheduler.finish(task);
  if (status != core::Status::ok) return {Error::task_refused, static_cast<std::uint32_t>(status)};
  return {};
}

Failure move(NetworkTasks& tasks, const core::Task& task) {
  tasks.begin_io(task);
  while (const std::optional<Transfer> transfer = tasks.next_transfer()) {
    if (const Failure failure = carry_out(*transfer)) return failure;
  }
  if (const Failure failure = finish(task)) return failure;
  const std::optional<Transfer> note = tasks.note();
  return note ? carry_out(*note) : Failure{};
}

Failure carry_out_plan(NetworkTasks& tasks) {
  while (!scheduler.done()) {
    if (const std::optional<core::Task> io = scheduler.select_io()) {
      if (const Failure failure = move(tasks, *io)) return failure;
    } else if (const std::optional<core::Task> compute = scheduler.select_compute()) {
      tasks.compute(*compute);
      if (const Failure failure = finish(*compute)) return failure;
    } else {
      return {Error::plan_stalled};
    }
  }
  return {};
}

}  // namespace

Failure run() {
  if (const Failure failure = check_plan(network)) return failure;
  const std::uint32_t buffers = network.plan.pools.total() * network.plan.buffer_bytes;
  if (buffers > tile_buffers().size()) return {Error::memory_small, buffers};
  if (const Failure failure = card.identify()) return failure;
  if (const Failure failure = check_card(network, card.sectors(), carry_out)) return failure;
  record.start_run(network.identity.plan, network.plan.frames, 0, network.plan.window == 1);
  if (const Failure failure = carry_out(record.transfer(Direction::to_card))) return failure;

  const core::Status status = scheduler.start(network.plan, network.scheduler_words);
  if (status != core::Status::ok) return {Error::plan_refused, static_cast<std::uint32_t>(status)};
  NetworkTasks tasks(network, network.plan, network.map, scheduler, record);
  return carry_out_plan(tasks);
}
