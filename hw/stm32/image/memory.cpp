#include "hw/stm32/image/memory.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "hw/swap/card_map.hpp"
#include "hw/swap/compute_int8.hpp"
#include "sim/core/layout.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::stm32 {
namespace {

/// Sizes on the board, whose pointers have 4 bytes.
constexpr std::uint32_t pointer_bytes = 4, patch_bytes = 36, channel_bytes = 12, rescale_bytes = 8,
                        quantized_layer_bytes = 28;
static_assert(sizeof(int8::OutputChannel) == channel_bytes && sizeof(int8::Rescale) == rescale_bytes);

constexpr std::uint32_t most_landing_sectors = 8;

std::uint64_t tables_of(const core::Plan& plan, std::span<const execution::LayerOperator> operators,
                        std::span<const execution::QuantizedLayer> layers) {
  std::uint64_t bytes = plan.layers.size_bytes() + plan.parts.size_bytes() + plan.consumers.size_bytes() +
                        operators.size_bytes() +
                        layers.size() * (quantized_layer_bytes + sizeof(execution::LayerPlace));
  for (std::size_t row = 0; row < layers.size(); ++row) {
    bytes += std::uint64_t{channels_of(plan, row, layers[row])} * channel_bytes;
    bytes += layers[row].rescales.size_bytes();
  }
  return bytes;
}

}  // namespace

std::uint32_t NetworkMemory::data_bytes() const {
  return scheduler_words * 4 + 2 * job.buffers * pointer_bytes + job.patches * patch_bytes +
         job.parts * static_cast<std::uint32_t>(sizeof(core::Range)) + scratch_elements * 2 +
         landing_sectors * core::sector_bytes;
}

NetworkMemory memory_of(const core::Plan& plan, std::span<const execution::LayerOperator> operators,
                        std::span<const execution::QuantizedLayer> layers) {
  NetworkMemory memory;
  const std::uint64_t buffers = std::uint64_t{plan.pools.total()} * plan.buffer_bytes;
  if (buffers > sram_bytes) {
    throw FirmwareTooLarge(fmt::format(
        "tile buffers of {} bytes, but SRAM1 and SRAM2 have {}; give --sram at most 256 KiB", buffers, sram_bytes));
  }
  memory.tile_buffers_bytes = static_cast<std::uint32_t>(buffers);
  memory.table_bytes = tables_of(plan, operators, layers);
  if (memory.table_bytes > flash_bytes - program_flash_bytes) {
    throw FirmwareTooLarge(fmt::format(
        "the plan and the numbers of {} rows take {} bytes of flash, but beside the program there are {}; weights are "
        "on the card and do not count: a network with fewer rows or output channels would fit",
        plan.layers.size(), memory.table_bytes, flash_bytes - program_flash_bytes));
  }

  memory.scheduler_words = core::Scheduler::storage_words(core::size_of(plan));
  memory.job = execution::job_size(plan);
  memory.landing_sectors = 1;
  memory.scratch_elements = execution::least_scratch(operators);
  const std::uint32_t room = data_tcm_bytes - program_data_bytes;
  if (memory.data_bytes() > room) {
    throw FirmwareTooLarge(fmt::format(
        "the scheduler's state of {} bytes and {} bytes for a task do not fit into the {} bytes of data TCM "
        "beside the program; fewer frames in flight, larger buffers or a network of fewer tiles would fit",
        memory.scheduler_words * 4, memory.data_bytes() - memory.scheduler_words * 4, room));
  }
  // What is left makes the kernels and transfers faster.
  const std::uint32_t wanted = execution::wanted_scratch(plan, operators);
  const std::uint32_t affordable = memory.scratch_elements + (room - memory.data_bytes()) / 2;
  memory.scratch_elements = std::max(memory.scratch_elements, std::min(wanted, affordable));
  memory.landing_sectors =
      std::min(most_landing_sectors, 1 + (room - memory.data_bytes()) / static_cast<std::uint32_t>(core::sector_bytes));
  return memory;
}

}  // namespace spillway::stm32
