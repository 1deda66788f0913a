#pragma once

#include <cstdint>
#include <memory>

#include "hw/linux/lockstep_clock.hpp"
#include "sim/swap/service_times.hpp"

/// Plans that are really carried out: what the rooms below the experiments need from each other.
namespace spillway::experiments {

/// The time of a board with its card, the virtual clock's (sim/swap), for a run in lockstep: both make the same
/// decisions. The times must outlive the clock. It holds 106 days under contention.
std::unique_ptr<execution::LockstepClock> board_clock(const swap::ServiceTimes& times);

}  // namespace spillway::experiments
