#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "hw/swap/card_header.hpp"
#include "hw/swap/card_map.hpp"
#include "hw/swap/layer_operator.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/plan.hpp"

namespace spillway::stm32 {

/// A network as the firmware gets it: constant tables in flash, and memory of the sizes that its plan needs. `spillway
/// firmware` writes the source that defines it.
struct Network {
  std::string_view name;
  core::Plan plan;
  execution::CardMap map;
  std::span<const execution::LayerOperator> operators;  ///< by row of the plan
  std::span<const execution::QuantizedLayer> layers;    ///< by row of the plan
  execution::CardIdentity identity;                     ///< of the card that belongs to it

  // In the data TCM.
  std::span<std::uint32_t> scheduler_words;
  std::span<std::int8_t*> io_buffers;  ///< chain of the IO task in progress
  execution::JobStorage job;           ///< of the compute task in progress
  std::span<std::int16_t> scratch;     ///< of the kernels
  std::span<std::int8_t> landing;      ///< whole sectors, aligned to 32 bytes
};

/// The one that this image is made for.
extern const Network network;

}  // namespace spillway::stm32
