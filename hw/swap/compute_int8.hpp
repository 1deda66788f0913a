#pragma once

#include <cstdint>
#include <span>

#include "hw/swap/layer_operator.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/plan.hpp"

namespace spillway::execution {

/// Elements of scratch memory with which every layer of a plan computes at its best. Fewer do, see
/// hw/kernels/int8/run.hpp.
std::uint32_t wanted_scratch(const core::Plan& plan, std::span<const LayerOperator> operators);

/// The fewest elements with which every layer can compute.
std::uint32_t least_scratch(std::span<const LayerOperator> operators);

/// Computes a task of an int8 plan. `scratch` is aligned to 4 bytes and has at least least_scratch() elements.
void compute_int8(const core::Layer& layer, const LayerOperator& layer_operator, const QuantizedLayer& quantized,
                  const TileJob& job, std::span<std::int16_t> scratch);

}  // namespace spillway::execution
