#pragma once

#include <atomic>
#include <cstdint>

#include "hw/mpi/runtime/rank.hpp"

namespace spillway::mpi {

/// How far a rank has come, in memory that outlives it.
struct ProgressRecord {
  std::atomic<int> rank;            ///< -1: not known yet
  std::atomic<std::int64_t> frame;  ///< -1: before the first
  std::atomic<int> layer;           ///< -1: none
  char name[112];                   ///< of the layer
};

/// Runs `work` in a process of its own, waits for it and returns its exit code. When it fails or is killed, says which
/// rank that was, on which device, in which layer and frame; the caller then ends, and with it the job. The process
/// ends with this one.
int supervise(const Program& program, const char* const* argv,
              int (*work)(const Program&, int, char**, ProgressRecord&), int argc);

}  // namespace spillway::mpi
