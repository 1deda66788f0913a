#pragma once

#include <cstdint>

#include "sim/core/task.hpp"

/// What was executed and when: the same record from every driver, simulated or real.
namespace spillway::trace {

/// One executed task. Times count from the start of the run.
struct Record {
  core::Task task;
  std::uint64_t start_ns = 0, end_ns = 0;
  std::uint64_t bytes = 0;  ///< moved between card and SRAM; 0 for compute
};

/// Buffers in use from `time_ns` on. Those of a shared pool (core::Pools::shared) count as input.
struct PoolLevels {
  std::uint64_t time_ns = 0;
  std::uint16_t input = 0, weights = 0, output = 0;
};

}  // namespace spillway::trace
