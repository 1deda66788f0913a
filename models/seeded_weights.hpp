#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "models/weights.hpp"

namespace spillway::models {

/// Weights for a network that nobody trained: pseudo-random, the same on every machine for the same seed, and
/// calibrated: the distribution of each feature map is followed through the network for an input of mean 0 and
/// variance 1, and each layer is scaled so that its output has a variance of about 1 (K. He et al.: Delving deep into
/// rectifiers, 2015, with the measured second moment of the input in the place of the constant 2). Without it the
/// values of a deep network vanish or explode.
class SeededWeights {
 public:
  explicit SeededWeights(const Network& network, std::uint64_t seed = 1);

  /// Makes the numbers of one node; empty for operators without. Independent of the other nodes' numbers.
  LayerWeights of(NodeId id) const;

  /// Of all nodes.
  Weights all() const;

 private:
  /// Sixteen values, ascending, each standing for a sixteenth of a feature map's elements.
  using Distribution = std::array<double, 16>;

  Distribution distribution_of(NodeId id) const;

  const Network& network_;
  std::uint64_t seed_;
  std::vector<Distribution> distributions_;
};

}  // namespace spillway::models
