#pragma once

#include <span>

#include "sim/trace/record.hpp"

namespace spillway::experiments {

/// us that pass before a task of a resource begins, by what it began after: interrupt, scheduler, trace, a thread that
/// wakes.
struct Gap {
  double next = 0;  ///< after the end of the resource's own task
  double wake = 0;  ///< after something ended elsewhere that the idle resource waited for
};

/// Gaps of the card, or of the CPU, in a trace: medians.
Gap gap_of(std::span<const trace::Record> records, bool io);

}  // namespace spillway::experiments
