#pragma once

#include <cstddef>
#include <vector>

namespace spillway::kernels {

/// When a buffer is needed: from step `first` to step `last`, both included (the step that writes it and the last one
/// that reads it).
struct BufferUse {
  std::size_t bytes = 0;
  int first = 0, last = 0;
};

/// Where buffers lie in one arena: those that are never needed at once may share bytes.
struct MemoryPlan {
  std::vector<std::size_t> offsets;  ///< one for each buffer, multiples of 64
  std::size_t bytes = 0;             ///< of the arena
  std::size_t largest_live = 0;      ///< most bytes needed at one step: no plan is smaller
};

/// Places the largest buffers first, each at the lowest offset that is free while it is needed (greedy by size: Y.
/// Pisarchyk and J. Lee, Efficient Memory Management for Deep Neural Net Inference, 2020). Deterministic.
MemoryPlan plan_memory(const std::vector<BufferUse>& uses);

}  // namespace spillway::kernels
