#pragma once

#include <cstddef>
#include <limits>
#include <vector>

#include "hw/kernels/memory_plan.hpp"
#include "hw/kernels/session/program.hpp"

namespace spillway::kernels {

inline constexpr std::size_t no_buffer = std::numeric_limits<std::size_t>::max();

/// Which buffer each value of a program lies in, and where the buffers lie in one arena.
struct StoragePlan {
  std::vector<std::size_t> buffers;  ///< by value; no_buffer: a constant, or one that nobody needs
  MemoryPlan memory;
};

/// Inputs live from the first step to their last use, outputs to the end. A view shares its value's buffer, and a step
/// that may work in place does so when nobody needs its input any more.
/// `bytes`: of each value; empty: four for each element.
StoragePlan plan_storage(const Program& program, const std::vector<std::size_t>& bytes = {});

}  // namespace spillway::kernels
