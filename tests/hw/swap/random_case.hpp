#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "random_network.hpp"

#include "hw/swap/image/card_image.hpp"
#include "hw/swap/layer_operator.hpp"
#include "models/network.hpp"
#include "sim/tiling/swap_plan.hpp"

/// Random networks in int8 with plans for them.
namespace spillway::execution {

/// A network with random weights and random constants of requantisation.
struct QuantizedNetwork {
  models::Network network;
  std::vector<models::NodeId> rows;  ///< nodes that are computed, in order
  std::vector<LayerOperator> operators;
  std::vector<std::vector<std::uint8_t>> weights;  ///< of each row, by filter, channel, kernel row, kernel column
  std::vector<std::vector<int8::OutputChannel>> channels;
  std::vector<std::vector<int8::Rescale>> rescales;
  std::vector<QuantizedLayer> layers;  ///< points into the vectors above

  std::vector<Bytes> weight_bytes() const { return {weights.begin(), weights.end()}; }
};

/// The factor 2^-shift x multiplier that is nearest to `factor`.
int8::Rescale rescale_by(double factor);

/// Draws weights and constants for a network of which `plan` is any plan.
QuantizedNetwork quantized(const models::Network& network, const tiling::SwapPlan& plan, tiling::Random& random);

/// Values of a network's input, by channel, row, column.
std::vector<std::int8_t> random_input(const models::Network& network, tiling::Random& random);

/// A plan for a random small SRAM; nothing where none fits.
std::optional<tiling::SwapPlan> random_plan(const models::Network& network, tiling::Rule rule, tiling::Random& random,
                                            models::ElementType element = models::ElementType::int8);

/// Whether there are kernels for all its layers.
bool is_executable(const models::Network& network, const tiling::SwapPlan& plan);

/// A case as a reader can build it again.
std::string to_text(const models::Network& network, const tiling::SwapPlan& plan);

}  // namespace spillway::execution
