#pragma once

#include <cstdint>
#include <vector>

#include "models/network.hpp"
#include "models/weights.hpp"

namespace spillway::models {

/// Weights for a network that nobody trained: pseudo-random, the same on every machine for the same seed, and
/// calibrated: the moments of each feature map are followed through the network for an input of mean 0 and variance 1,
/// and each layer is scaled so that its output has a variance of about 1 (K. He et al.: Delving deep into rectifiers,
/// 2015, with the measured second moment of the input in the place of the constant 2). Without it the values of a deep
/// network vanish or explode.
class SeededWeights {
 public:
  explicit SeededWeights(const Network& network, std::uint64_t seed = 1);

  /// Makes the numbers of one node; empty for operators without. Independent of the other nodes' numbers.
  LayerWeights of(NodeId id) const;

  /// Of all nodes.
  Weights all() const;

 private:
  /// Mean of a feature map's elements, and their variance in two parts: of the channels' own means, and within a
  /// channel. A pooling works on the second alone, which a deep network wears down.
  struct Moments {
    double mean = 0, between_channels = 0, within_channels = 0;

    double variance() const { return between_channels + within_channels; }
    double second_moment() const { return mean * mean + variance(); }
  };

  Moments moments_of(NodeId id) const;
  Moments sum_or_product(const Node& node) const;
  Moments concatenation(const Node& node) const;
  static Moments pooled(const Node& node, Moments input);
  template <typename Function>
  static Moments through(const Moments& input, Function function);

  const Network& network_;
  std::uint64_t seed_;
  std::vector<Moments> moments_;
};

}  // namespace spillway::models
