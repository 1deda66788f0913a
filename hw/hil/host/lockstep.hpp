#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "hw/hil/host/peer.hpp"
#include "hw/linux/lockstep_clock.hpp"
#include "sim/core/plan.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::hil {

/// Where the device and the host's own scheduler part.
struct Difference {
  std::uint32_t step = 0;
  std::uint64_t now_ns = 0;
  Decisions host, device;
};

struct LockstepResult {
  Peer::Device device;
  bool same_plan = false;  ///< by its hash
  std::uint32_t steps = 0;
  std::uint64_t decisions = 0;  ///< tasks started, the same on both sides
  std::uint64_t makespan_ns = 0;
  bool done = false;  ///< all frames, on both sides; else stalled, or parted
  std::optional<Difference> difference;
  LineStatistics line;
  std::uint64_t cycles = 0;       ///< of the device, in its scheduler, over all steps; 0: not measured
  std::uint32_t most_cycles = 0;  ///< of a step
};

/// Runs a plan on a device in lockstep: `clock` keeps virtual time, the device decides, and the host's own scheduler is
/// given the same ends and must decide the same. Ends at the first difference. `sink`, which may be null, is told of
/// every task. `session`: a number that no earlier run on this line had.
/// Throws PeerError, LineError; std::invalid_argument for a plan that the scheduler refuses.
LockstepResult run_lockstep(const core::Plan& plan, std::uint64_t plan_hash, execution::LockstepClock& clock,
                            Line& line, Patience patience, std::uint32_t session, trace::Sink* sink = nullptr);

}  // namespace spillway::hil
