#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/workload.hpp"

namespace spillway::pipeline {

/// Bytes that a rank needs on its board.
struct RankMemory {
  std::uint64_t process = 0;  ///< before any network: the program, MPI, of a GPU's rank also the GPU's libraries
  std::uint64_t weights = 0;  ///< of a GPU's rank twice: the host keeps a copy (AutoDiCE, section IV-C)
  std::uint64_t tensors = 0;  ///< the largest set of its own results that live at once
  std::uint64_t buffers = 0;  ///< results that it sends or receives, `slots` copies of each

  std::uint64_t total() const { return process + weights + tensors + buffers; }
};

/// By rank. `owner` is ProgramMaker::owners() of the program.
std::vector<RankMemory> memory_of(const Program& program, std::span<const Rank> owner, const Workload& workload,
                                  const Machine& machine);

}  // namespace spillway::pipeline
