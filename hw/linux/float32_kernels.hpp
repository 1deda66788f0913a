#pragma once

#include <functional>
#include <limits>
#include <span>

#include "hw/swap/layer_operator.hpp"
#include "hw/swap/tile_job.hpp"
#include "sim/core/plan.hpp"

namespace spillway::execution {

/// How a row computes in float32.
struct FloatLayer {
  const float* bias = nullptr;  ///< of a layer with weights, by output channel; null: none
  /// What a fused activation lets through: ReLU 0 and up, ReLU6 and clip up to a bound.
  float minimum = -std::numeric_limits<float>::infinity(), maximum = std::numeric_limits<float>::infinity();
};

/// Kernels of a float32 plan. The sum of a filter that comes in pieces is kept in its output element. The order of the
/// sums depends on how a layer is cut, so results agree with the layer in one piece to rounding only (1e-5 of the
/// largest output). The tables must outlive the function.
std::function<void(const TileJob&)> float32_kernels(const core::Plan& plan, std::span<const LayerOperator> operators,
                                                    std::span<const FloatLayer> layers);

}  // namespace spillway::execution
