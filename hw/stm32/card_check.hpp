#pragma once

#include <cstdint>

#include "hw/stm32/errors.hpp"
#include "hw/stm32/network.hpp"
#include "hw/stm32/transfer.hpp"

namespace spillway::stm32 {

/// The plan in flash is the one that the image was made with: its tables give the hash that stands beside them.
Failure check_plan(const Network& network);

/// The card in the slot, of so many sectors, is the one that belongs to the network: header, size, and every sector of
/// the weights. Uses the tile buffers.
Failure check_card(const Network& network, std::uint32_t card_sectors, CarryOut carry_out);

}  // namespace spillway::stm32
