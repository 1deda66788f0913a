#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/swap/layer_operator.hpp"
#include "sim/core/plan.hpp"

/// The arrangement of weights on the card. Inside the room only.
namespace spillway::execution {

/// The bytes of a chunk of a tile as the kernels read them (int8::Chunk), zeros up to the next sector behind.
/// `weights` are the layer's in the network's order; `vector_order` is that of a dense layer.
std::vector<std::uint8_t> chunk_bytes(const core::Plan& plan, std::size_t row, const LayerOperator& layer_operator,
                                      std::span<const std::uint8_t> weights,
                                      const std::vector<std::uint32_t>& vector_order, std::uint32_t tile,
                                      std::uint32_t chunk);

}  // namespace spillway::execution
