#pragma once

#include <cstdint>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/result.hpp"
#include "sim/pipeline/timeline.hpp"

namespace spillway::pipeline {

/// Runs a program in whole nanoseconds on a clock of our own: the fast driver, for searches. The flows of a link share
/// it equally, also where one of them is slower elsewhere. `timeline` may be null.
Run run_virtual_clock(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline);

/// Runs a program on SimGrid: the reference. A board is a host with its cores, its GPU another one; no actors,
/// activities are started by completions. Not re-entrant and not for several threads: SimGrid has one engine.
Run run_simgrid(const Program& program, const Machine& machine, std::uint64_t frames, Timeline* timeline);

}  // namespace spillway::pipeline
