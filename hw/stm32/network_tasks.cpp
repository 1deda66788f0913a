#include "hw/stm32/network_tasks.hpp"

#include "hw/stm32/processor.hpp"
#include "hw/stm32/tile_buffers.hpp"
#include "hw/swap/compute_int8.hpp"

namespace spillway::stm32 {
namespace {

execution::Pools pools_of(const core::Plan& plan) {
  auto* const begin = reinterpret_cast<std::int8_t*>(tile_buffers().data());
  auto* const weights = begin + plan.pools.input * plan.buffer_bytes;
  return {begin, weights, weights + plan.pools.weights * plan.buffer_bytes, plan.buffer_bytes};
}

}  // namespace

NetworkTasks::NetworkTasks(const Network& network, const core::Plan& plan, const execution::CardMap& map,
                           const core::Scheduler& scheduler, RunRecord& record)
    : network_(network),
      plan_(plan),
      map_(map),
      scheduler_(scheduler),
      record_(record),
      pools_(pools_of(plan)),
      movement_(network.landing) {}

void NetworkTasks::begin_io(const core::Task& task) {
  const std::span buffers = execution::buffers_of(scheduler_, task, pools_, network_.io_buffers);
  movement_.begin(plan_, map_, task, {buffers, plan_.buffer_bytes});
}

std::optional<Transfer> NetworkTasks::next_transfer() {
  execution::Transfer next;
  if (!movement_.next(next)) return std::nullopt;
  return Transfer{movement_.writes() ? Direction::to_card : Direction::to_memory, next.sector, next.sectors,
                  next.memory};
}

void NetworkTasks::compute(const core::Task& task) {
  const execution::LayerOperator& layer_operator = network_.operators[task.layer];
  {
    const InterruptsOff alone;
    execution::prepare(job_, plan_, layer_operator, scheduler_, task, pools_, network_.job);
  }
  execution::compute_int8(plan_.layers[task.layer], layer_operator, network_.layers[task.layer], job_,
                          network_.scratch);
}

std::optional<Transfer> NetworkTasks::note() {
  if (!record_.frames_are_done(scheduler_.frames_done())) return std::nullopt;
  return record_.transfer(Direction::to_card);
}

}  // namespace spillway::stm32
