#pragma once

#include <vector>

#include "models/network.hpp"
#include "models/quantized/quantization_error.hpp"
#include "models/weights.hpp"

/// The form of a network that is quantised: float32 still, but with nothing left that int8 has no place for.
namespace spillway::quantized {

/// A network of which each node is an input, a row, an activation of the row before it, or a way of reading
/// (concatenation, flatten, reshape). Rows are convolution, dense, pooling and add: the rows of a swap plan. Every
/// convolution and dense layer has a bias.
struct FoldedNetwork {
  models::Network network;
  models::Weights weights;
};

/// Folds batch normalizations into the convolution or dense layer before them, and leaves out dropout, identities and a
/// softmax at the end. Nodes that stay keep their names.
/// Throws QuantizationError with everything that int8 cannot do.
FoldedNetwork fold(const models::Network& network, const models::Weights& weights);

/// A row of a folded network.
struct Row {
  models::NodeId node = 0;   ///< what it computes
  models::NodeId value = 0;  ///< its last activation, or the node itself: the map that is stored
  /// What the activations let through.
  float minimum, maximum;
};

/// Whether nodes of this kind are rows.
bool is_row(models::Operator op);

/// The rows in the order of the nodes.
/// Throws QuantizationError for a network that is not folded.
std::vector<Row> rows_of(const models::Network& folded);

}  // namespace spillway::quantized
