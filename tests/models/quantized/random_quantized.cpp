#include "random_quantized.hpp"

#include <cmath>

#include "random_network.hpp"

#include "models/quantized/quantize.hpp"
#include "models/seeded_weights.hpp"

namespace spillway::quantized {

std::optional<QuantizedNetwork> random_quantized(std::uint32_t seed) {
  tiling::Random random(seed);
  const models::Network network = tiling::random_network(random);
  try {
    FoldedNetwork folded = fold(network, models::SeededWeights(network, seed).all());
    std::vector<float> ranges;
    for (std::size_t id = 0; id < folded.network.nodes().size(); ++id)
      ranges.push_back(std::ldexp(static_cast<float>(random.between(100, 400)), -7));
    return quantize(std::move(folded), ranges);
  } catch (const QuantizationError&) {
    return std::nullopt;
  }
}

}  // namespace spillway::quantized
