#pragma once

#include <optional>

#include "hw/stm32/network.hpp"
#include "hw/stm32/run_record.hpp"
#include "hw/stm32/transfer.hpp"
#include "hw/swap/movement.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::stm32 {

/// Carries out the tasks of a network: an Executor of SwapLoop.
class NetworkTasks {
 public:
  /// `plan` and `map` are those of the run, which may begin with a later frame than the network's.
  NetworkTasks(const Network& network, const core::Plan& plan, const execution::CardMap& map,
               const core::Scheduler& scheduler, RunRecord& record);

  void begin_io(const core::Task& task);
  std::optional<Transfer> next_transfer();
  void compute(const core::Task& task);

  /// After the end of an IO task: a frame may be done, which the card has to remember.
  std::optional<Transfer> note();

 private:
  const Network& network_;
  const core::Plan& plan_;
  const execution::CardMap& map_;
  const core::Scheduler& scheduler_;
  RunRecord& record_;
  execution::Pools pools_;
  execution::Movement movement_;
  execution::TileJob job_;  ///< of the compute task in progress
};

}  // namespace spillway::stm32
