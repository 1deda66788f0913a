#include "models/quantized/quantize.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

namespace spillway::quantized {
namespace {

using models::LayerWeights;
using models::Node;
using models::NodeId;

constexpr double largest_bias = 1 << 30;

std::vector<float> scales_of(const FoldedNetwork& folded, const std::vector<float>& ranges) {
  const models::Network& network = folded.network;
  const std::vector<NodeId> owners = scale_owners(network);
  std::vector<float> shared(owners.size(), 0.0F);
  for (NodeId id = 0; id < owners.size(); ++id)
    if (network.node(id).op == models::Operator::input) shared[owners[id]] = std::max(shared[owners[id]], ranges[id]);
  for (const Row& row : rows_of(network))
    shared[owners[row.value]] = std::max(shared[owners[row.value]], ranges[row.value]);
  std::vector<float> scales;
  for (NodeId id = 0; id < owners.size(); ++id) {
    const float range = shared[owners[id]];
    scales.push_back(range > 0 ? range / 127 : 1.0F);
  }
  return scales;
}

float largest_magnitude(std::span<const float> numbers) {
  float largest = 0;
  for (const float number : numbers)
    largest = std::max(largest, std::fabs(number));
  return largest;
}

/// Just above a number in float32: a quotient by it does not exceed the bound that the number was made for.
float above(double number) {
  return std::nextafter(static_cast<float>(number), HUGE_VALF);
}

QuantizedWeights quantize_weights(const LayerWeights& weights, double input, double output) {
  const std::span<const float> bias = weights.bias.values(), numbers = weights.weights.values();
  const std::size_t filter = numbers.size() / bias.size();
  QuantizedWeights result;
  for (std::size_t k = 0; k < bias.size(); ++k) {
    const std::span<const float> of = numbers.subspan(k * filter, filter);
    const float scale = std::max({largest_magnitude(of) / 127, above(std::fabs(bias[k]) / (input * largest_bias)),
                                  above(2 * smallest_factor * output / input)});
    result.scales.push_back(scale);
    for (const float number : of)
      result.weights.push_back(quantize(number, scale));
    result.bias.push_back(static_cast<std::int32_t>(std::llround(bias[k] / (input * static_cast<double>(scale)))));
  }
  return result;
}

}  // namespace

QuantizedNetwork quantize(FoldedNetwork folded, const std::vector<float>& ranges) {
  QuantizedNetwork result{folded.network, scales_of(folded, ranges), {}};
  for (const Row& row : rows_of(folded.network)) {
    const Node& node = folded.network.node(row.node);
    if (!models::has_weights(node.op)) continue;
    result.weights[node.name] =
        quantize_weights(folded.weights.at(node.name), result.scales[node.inputs.front()], result.scales[row.value]);
  }
  check(result);
  return result;
}

}  // namespace spillway::quantized
