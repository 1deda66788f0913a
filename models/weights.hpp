#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "models/network.hpp"

/// The trained numbers of a network, apart from its structure: most questions need only the structure.
namespace spillway::models {

/// A float32 tensor in row-major order. A copy shares the numbers: they may lie in a model file's own memory, mapped
/// or parsed, and stay there as long as one Tensor refers to them.
class Tensor {
 public:
  Tensor() = default;

  /// Takes numbers of its own. Throws std::invalid_argument when the extents hold another number of elements.
  Tensor(std::vector<std::int64_t> extents, std::vector<float> values);

  /// Refers to numbers that `owner` keeps alive. Throws as above.
  Tensor(std::vector<std::int64_t> extents, std::span<const float> values, std::shared_ptr<const void> owner);

  const std::vector<std::int64_t>& extents() const { return extents_; }
  std::span<const float> values() const { return values_; }
  bool empty() const { return values_.empty(); }

  /// Equal extents and equal numbers.
  friend bool operator==(const Tensor& a, const Tensor& b);

 private:
  std::vector<std::int64_t> extents_;
  std::span<const float> values_;
  std::shared_ptr<const void> owner_;
};

/// The numbers of one node.
/// Convolution: weights [filters][input channels / groups][kernel height][kernel width], bias [filters] or empty.
/// Dense: weights [outputs][inputs], bias [outputs] or empty.
/// Batch normalization, y = scale x + shift per channel: weights is the scale [channels], bias the shift [channels].
/// The statistics of the training are folded into them.
struct LayerWeights {
  Tensor weights;
  Tensor bias;

  friend bool operator==(const LayerWeights&, const LayerWeights&) = default;
};

/// By the name of the node, for each convolution, dense layer and batch normalization.
using Weights = std::map<std::string, LayerWeights>;

/// Whether the operator has an entry in Weights.
bool has_weights(Operator op);

/// The extents that the weights of a node must have; empty for operators without.
std::vector<std::int64_t> weight_extents(const Network& network, NodeId id);

}  // namespace spillway::models
