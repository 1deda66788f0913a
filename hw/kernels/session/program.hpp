#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "hw/kernels/layers.hpp"
#include "models/network.hpp"
#include "models/weights.hpp"

/// A network as the calls of the kernels that compute it: what a session runs here, and what a generated program writes
/// out as source.
namespace spillway::kernels {

/// Position in Program::values.
using ValueId = std::size_t;
inline constexpr ValueId no_value = std::numeric_limits<ValueId>::max();

/// An array of float32, row-major.
struct Value {
  std::string name;
  std::vector<std::int64_t> extents;
  /// Whether the numbers are known before any frame: weights. Empty where a program is made without them.
  bool is_constant = false;
  models::Tensor numbers;
  /// The value whose memory this one is, seen with other extents; no_value: its own.
  ValueId same_as = no_value;

  std::int64_t elements() const;
};

using Layer = std::variant<Convolution, TransposedConvolution, Dense, MatrixProduct, Pool, Normalization,
                           InstanceNormalization, LocalResponseNormalization, Pointwise, Elementwise, Softmax, Concat,
                           Rearrangement, Pad, Reduction, Copy>;

/// One call.
struct Step {
  std::string name;                ///< of the node
  std::vector<std::string> fused;  ///< nodes whose work the call does as well, in their order
  Layer layer;
  /// In the order in which run() takes them: a convolution's input, filters, bias, scale, shift and residual, a dense
  /// layer's input, weights and bias; no_value: not given.
  std::vector<ValueId> inputs;
  ValueId output = no_value;
};

struct Program {
  std::string name;
  std::vector<Value> values;
  std::vector<Step> steps;  ///< in an order in which they can run
  std::vector<ValueId> inputs, outputs;

  ValueId add_value(Value value);
  /// The value in whose memory this one lies.
  ValueId storage_of(ValueId id) const;
};

/// One call for each node; shapes alone (flatten, reshape) and nodes without effect (dropout, identity) are none. The
/// layer id is the node's position. With `weights` empty, the constants have extents alone. `outputs` names the nodes
/// whose values are wanted; empty: those that no other node reads.
/// Throws std::invalid_argument for a node whose weights are missing or of other extents, and for an unknown output.
Program lower(const models::Network& network, const models::Weights& weights,
              const std::vector<std::string>& outputs = {});

/// Moves normalizations, additions and activations into the call before them where nobody else reads what is between.
/// The results keep their bits.
void fuse(Program& program);

/// The layer's number.
LayerId layer_id(const Layer& layer);

/// What the layer does, in a word: `convolution`, `depthwise`, ...
std::string_view kind_of(const Layer& layer);

}  // namespace spillway::kernels
