#pragma once

#include "hw/stm32/errors.hpp"
#include "hw/stm32/network.hpp"

namespace spillway::stm32 {

/// The plan in flash is the one that the image was made with: its tables give the hash that stands beside them.
Failure check_plan(const Network& network);

/// The card in the slot is the one that belongs to the network: header, size, and every sector of the weights. Uses the
/// tile buffers.
Failure check_card(const Network& network);

}  // namespace spillway::stm32
