#include "hw/kernels/memory_plan.hpp"

#include <algorithm>
#include <numeric>

namespace spillway::kernels {
namespace {

constexpr std::size_t alignment = 64;

std::size_t aligned(std::size_t bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

bool at_once(const BufferUse& a, const BufferUse& b) {
  return a.first <= b.last && b.first <= a.last;
}

std::size_t largest_live(const std::vector<BufferUse>& uses) {
  std::size_t largest = 0;
  for (const BufferUse& step : uses) {  // what is live grows only where a buffer begins
    std::size_t live = 0;
    for (const BufferUse& use : uses)
      if (use.first <= step.first && step.first <= use.last) live += aligned(use.bytes);
    largest = std::max(largest, live);
  }
  return largest;
}

}  // namespace

MemoryPlan plan_memory(const std::vector<BufferUse>& uses) {
  std::vector<std::size_t> order(uses.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return uses[a].bytes > uses[b].bytes; });

  MemoryPlan plan;
  plan.offsets.resize(uses.size());
  plan.largest_live = largest_live(uses);
  std::vector<std::size_t> placed;  // by offset
  for (const std::size_t buffer : order) {
    const std::size_t bytes = aligned(uses[buffer].bytes);
    std::size_t offset = 0;
    for (const std::size_t other : placed) {
      if (!at_once(uses[buffer], uses[other])) continue;
      if (offset + bytes <= plan.offsets[other]) break;
      offset = std::max(offset, plan.offsets[other] + aligned(uses[other].bytes));
    }
    plan.offsets[buffer] = offset;
    plan.bytes = std::max(plan.bytes, offset + bytes);
    const auto behind = std::upper_bound(placed.begin(), placed.end(), buffer, [&](std::size_t a, std::size_t b) {
      return plan.offsets[a] < plan.offsets[b];
    });
    placed.insert(behind, buffer);
  }
  return plan;
}

}  // namespace spillway::kernels
