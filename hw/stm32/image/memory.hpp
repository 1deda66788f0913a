#pragma once

#include <cstdint>
#include <span>
#include <stdexcept>

#include "hw/swap/layer_operator.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/plan.hpp"

/// Images of the firmware, made on the host.
namespace spillway::stm32 {

/// A network that does not fit the firmware's memories; what() says which one, the demand, the bound, and what would
/// help.
class FirmwareTooLarge : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// Memory of an STM32F746NG that an image may use.
inline constexpr std::uint32_t flash_bytes = 1024 * 1024, sram_bytes = 256 * 1024, data_tcm_bytes = 64 * 1024;

/// Of those, what the program takes whatever the network: code and constants in flash (hw/stm32/bounds.txt); stack,
/// ring of the serial port and variables in the data TCM.
inline constexpr std::uint32_t program_flash_bytes = 64 * 1024, program_data_bytes = 16 * 1024;

/// What a network gets.
struct NetworkMemory {
  std::uint32_t tile_buffers_bytes = 0;
  std::uint32_t scheduler_words = 0;
  execution::JobSize job;
  std::uint32_t scratch_elements = 0;  ///< of 2 bytes; as many as the kernels want, or as there is room for
  std::uint32_t landing_sectors = 0;
  std::uint64_t table_bytes = 0;  ///< in flash

  std::uint32_t data_bytes() const;
};

/// Sizes of a network's memory. Throws FirmwareTooLarge.
NetworkMemory memory_of(const core::Plan& plan, std::span<const execution::LayerOperator> operators,
                        std::span<const execution::QuantizedLayer> layers);

/// Entries of a row's table of output channels.
inline std::uint32_t channels_of(const core::Plan& plan, std::size_t row, const execution::QuantizedLayer& layer) {
  return layer.channels == nullptr ? 0 : plan.layers[row].channels;
}

}  // namespace spillway::stm32
