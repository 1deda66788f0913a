#pragma once

#include <cstdint>
#include <span>

#include "hw/kernels/int8/layers.hpp"
#include "hw/swap/layer_operator.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"
#include "sim/core/scheduler.hpp"
#include "sim/core/task.hpp"

namespace spillway::execution {

/// The SRAM of a run: each pool's buffers one after the other. Aligned to 4 bytes at least; a driver may want more.
struct Pools {
  std::int8_t* input = nullptr;
  std::int8_t* weights = nullptr;
  std::int8_t* output = nullptr;
  std::uint32_t buffer_bytes = 0;
};

/// Entries that the largest job of a plan needs.
struct JobSize {
  std::uint32_t buffers = 0;  ///< in chains
  std::uint32_t patches = 0;
  std::uint32_t parts = 0;
};

JobSize job_size(const core::Plan& plan);

/// Memory of a job, the caller's: as many entries as JobSize says.
struct JobStorage {
  std::span<const std::int8_t*> buffers;
  std::span<int8::Patch> patches;
  std::span<core::Range> parts;
};

/// A compute task with everything that it reads and writes, in SRAM. Element (y, x, c) of a patch stands for
/// Layer::element_bytes bytes.
struct TileJob {
  core::Task task;
  core::Region output_box;
  std::int8_t* output = nullptr;  ///< the tile's buffer: rows, columns, channels without gaps
  /// int32 sums of the filter in progress, one for each pixel, at the end of the tile's buffer; only where filters come
  /// in pieces.
  std::int32_t* sums = nullptr;
  std::span<const int8::Patch> patches;  ///< of all operands, one operand's after the other's
  std::span<const core::Range> parts;    ///< of the layer's input channels, all of them, in the order of the weights
  core::Range filters;                   ///< output channels of the chunk; of a layer without weights the tile's
  core::Range filter_channels;           ///< of a filter's own input channels those in the chunk
  const std::int8_t* weights = nullptr;
  /// Behind each operand's last patch; one entry where the layer has one operand.
  std::uint32_t operand_end[int8::most_operands] = {};
  std::uint32_t operands = 1;
};

/// Fills a job from a SELECTED compute task; asks the scheduler for its buffers, and needs it no more afterwards. The
/// job is valid as long as its storage and until the task is finished.
/// The layer has at most int8::most_operands operands.
void prepare(TileJob& job, const core::Plan& plan, const LayerOperator& layer_operator,
             const core::Scheduler& scheduler, const core::Task& task, const Pools& pools, const JobStorage& storage);

/// The buffers of an IO task, as pointers into `storage`, which has JobSize::buffers entries. The task is SELECTED.
std::span<std::int8_t* const> buffers_of(const core::Scheduler& scheduler, const core::Task& task, const Pools& pools,
                                         std::span<std::int8_t*> storage);

}  // namespace spillway::execution
