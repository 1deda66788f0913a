#pragma once

#include <stdexcept>
#include <vector>

#include "hw/swap/layer_operator.hpp"
#include "models/network.hpp"
#include "sim/core/plan.hpp"

namespace spillway::execution {

/// A network or plan that cannot be executed; what() names the layer and the reason.
class NotExecutable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// What each row of a plan computes. `rows` are the rows' nodes. Throws NotExecutable for an operator without a kernel,
/// a map that is transposed before anything but a dense layer reads it, and more operands than a sum can have.
std::vector<LayerOperator> operators_of(const core::Plan& plan, const models::Network& network,
                                        const std::vector<models::NodeId>& rows);

}  // namespace spillway::execution
