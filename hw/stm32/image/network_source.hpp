#pragma once

#include <span>
#include <string>

#include "hw/stm32/image/memory.hpp"
#include "hw/swap/card_header.hpp"
#include "hw/swap/card_map.hpp"
#include "hw/swap/layer_operator.hpp"
#include "sim/core/plan.hpp"

namespace spillway::stm32 {

/// What an image is made of.
struct NetworkTables {
  std::string name;
  core::Plan plan;
  execution::CardMap map;
  std::span<const execution::LayerOperator> operators;
  std::span<const execution::QuantizedLayer> layers;
  execution::CardIdentity identity;
  std::span<const std::string> layer_names;  ///< of the rows, for the comments
};

/// The C++ source that defines hw/stm32/network.hpp's `network`: the tables as constants, the memory as variables.
std::string network_source(const NetworkTables& tables, const NetworkMemory& memory);

}  // namespace spillway::stm32
