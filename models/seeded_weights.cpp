#include "models/seeded_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

// Only operations that IEEE 754 defines to the last bit are used (no exp, log or pow): same seed, same weights,
// anywhere.
namespace spillway::models {
namespace {

/// The middles of sixteen equal shares of a normal distribution, scaled to a variance of 1.
constexpr std::array normal_values = {-1.9381, -1.3714, -1.0509, -0.8078, -0.6025, -0.4186, -0.2468, -0.0816,
                                      0.0816,  0.2468,  0.4186,  0.6025,  0.8078,  1.0509,  1.3714,  1.9381};

/// Mean and variance of the greatest of n values of a normal distribution, n from 1 to 9 (H. Harter: Expected values of
/// normal order statistics, 1961).
constexpr std::array greatest_mean = {0.0, 0.564, 0.846, 1.029, 1.163, 1.267, 1.352, 1.424, 1.485};
constexpr std::array greatest_variance = {1.0, 0.682, 0.559, 0.492, 0.448, 0.416, 0.392, 0.373, 0.357};

/// A sigmoid with the right limits and slope; exact values do not matter here.
double sigmoid_like(double x) {
  return 0.5 + 0.5 * (x / 2) / (1 + std::abs(x / 2));
}

/// Seed of one tensor: FNV-1a of its name on top of the seed of all.
std::uint64_t seed_of(std::uint64_t seed, std::string_view node, std::string_view tensor) {
  std::uint64_t hash = 0xcbf29ce484222325 ^ seed;
  for (const std::string_view part : {node, std::string_view("."), tensor})
    for (const char letter : part)
      hash = (hash ^ static_cast<unsigned char>(letter)) * 0x100000001b3;
  return hash;
}

/// Uniform numbers between low and high from splitmix64 (G. Steele et al.: Fast splittable pseudorandom number
/// generators, 2014).
std::vector<float> uniform(std::uint64_t state, std::int64_t count, double low, double high) {
  std::vector<float> numbers(static_cast<std::size_t>(count));
  for (float& number : numbers) {
    state += 0x9e3779b97f4a7c15;
    std::uint64_t mixed = state;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9;
    mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111eb;
    mixed ^= mixed >> 31;
    const double share = static_cast<double>(mixed >> 40) * 0x1p-24;
    number = static_cast<float>(low + (high - low) * share);
  }
  return numbers;
}

constexpr double most_bias = 0.1;       ///< biases and shifts: up to this much, either way
constexpr double least_moment = 1e-12;  ///< a map of nothing but zeros cannot be scaled to anything
constexpr double most_spread = 0.2;     ///< scales of normalizations: up to this share, either way

}  // namespace

SeededWeights::SeededWeights(const Network& network, std::uint64_t seed) : network_(network), seed_(seed) {
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    moments_.push_back(moments_of(id));
}

/// The moments behind a function of each element.
template <typename Function>
SeededWeights::Moments SeededWeights::through(const Moments& input, Function function) {
  const auto count = static_cast<double>(normal_values.size());
  double mean = 0, of_channels = 0, of_elements = 0;  // the last two: second moments
  for (const double channel : normal_values) {
    double channel_mean = 0;
    for (const double element : normal_values) {
      const double value = function(input.mean + std::sqrt(input.between_channels) * channel +
                                    std::sqrt(input.within_channels) * element);
      channel_mean += value / count;
      of_elements += value * value / (count * count);
    }
    mean += channel_mean / count;
    of_channels += channel_mean * channel_mean / count;
  }
  return {mean, std::max(of_channels - mean * mean, 0.0), std::max(of_elements - of_channels, 0.0)};
}

SeededWeights::Moments SeededWeights::sum_or_product(const Node& node) const {
  Moments result = moments_[node.inputs.front()];
  for (std::size_t i = 1; i < node.inputs.size(); ++i) {
    const Moments& other = moments_[node.inputs[i]];
    if (node.op == Operator::add) {
      result.mean += other.mean;
      result.between_channels += other.between_channels;
      result.within_channels += other.within_channels;
      continue;
    }
    const double mean = result.mean * other.mean;
    const double of_channels =
        (result.mean * result.mean + result.between_channels) * (other.mean * other.mean + other.between_channels);
    const double of_elements = result.second_moment() * other.second_moment();
    result = {mean, std::max(of_channels - mean * mean, 0.0), std::max(of_elements - of_channels, 0.0)};
  }
  return result;
}

SeededWeights::Moments SeededWeights::concatenation(const Node& node) const {
  double mean = 0, of_channels = 0, within = 0;
  for (const NodeId input : node.inputs) {
    const Moments& part = moments_[input];
    const double share =
        static_cast<double>(network_.node(input).output.channels) / static_cast<double>(node.output.channels);
    mean += share * part.mean;
    of_channels += share * (part.mean * part.mean + part.between_channels);
    within += share * part.within_channels;
  }
  return {mean, std::max(of_channels - mean * mean, 0.0), within};
}

SeededWeights::Moments SeededWeights::pooled(const Node& node, Moments input) {
  const std::int64_t elements = node.window.kernel_height * node.window.kernel_width;
  const auto counted = static_cast<std::size_t>(std::clamp<std::int64_t>(elements, 1, greatest_mean.size()));
  if (node.op == Operator::max_pool) {
    input.mean += greatest_mean[counted - 1] * std::sqrt(input.within_channels);
    input.within_channels *= greatest_variance[counted - 1];
  } else {
    input.within_channels /= static_cast<double>(std::max<std::int64_t>(elements, 1));
  }
  return input;
}

SeededWeights::Moments SeededWeights::moments_of(NodeId id) const {
  const Node& node = network_.node(id);
  if (node.op == Operator::input) return {0, 0, 1};
  const Moments& input = moments_[node.inputs.front()];
  switch (node.op) {
    case Operator::convolution:
    case Operator::dense: {
      const double within = input.within_channels / std::max(input.second_moment(), least_moment);
      return {0, 1 - within, within};
    }
    case Operator::batch_normalization: {
      const double within = input.within_channels / std::max(input.variance(), least_moment);
      return {0, 1 - within, within};
    }
    case Operator::max_pool:
    case Operator::average_pool:
      return pooled(node, input);
    case Operator::add:
    case Operator::multiply:
      return sum_or_product(node);
    case Operator::concat:
      return concatenation(node);
    case Operator::relu:
      return through(input, [](double x) { return std::max(x, 0.0); });
    case Operator::relu6:
      return through(input, [](double x) { return std::clamp(x, 0.0, 6.0); });
    case Operator::leaky_relu:
      return through(input, [&](double x) { return x < 0 ? x * node.slope : x; });
    case Operator::clip:
      return through(input, [&](double x) { return std::clamp<double>(x, node.minimum, node.maximum); });
    case Operator::sigmoid:
      return through(input, sigmoid_like);
    case Operator::hard_sigmoid:
      return through(input, [&](double x) { return std::clamp(node.slope * x + node.offset, 0.0, 1.0); });
    case Operator::hard_swish:
      return through(input, [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
    case Operator::tanh:
      return through(input, [](double x) { return 2 * sigmoid_like(2 * x) - 1; });
    case Operator::softmax:
      return {1 / static_cast<double>(node.output.channels), 0, 0};
    case Operator::input:
    case Operator::local_response_normalization:  // close to the identity for values around 1
    case Operator::dropout:
    case Operator::identity:
    case Operator::flatten:
    case Operator::reshape:
    case Operator::transpose:
      break;
  }
  return input;
}

LayerWeights SeededWeights::of(NodeId id) const {
  const Node& node = network_.node(id);
  if (!has_weights(node.op)) return {};
  const Moments& input = moments_[node.inputs.front()];
  const std::vector<std::int64_t> extents = weight_extents(network_, id);
  const std::int64_t channels = extents.front();
  const std::uint64_t weight_seed = seed_of(seed_, node.name, "weight");
  const std::uint64_t bias_seed = seed_of(seed_, node.name, "bias");
  if (node.op == Operator::batch_normalization) {
    const double scale = 1 / std::sqrt(std::max(input.variance(), least_moment));
    const double shift = -input.mean * scale;
    return {Tensor(extents, uniform(weight_seed, channels, (1 - most_spread) * scale, (1 + most_spread) * scale)),
            Tensor(extents, uniform(bias_seed, channels, shift - most_bias, shift + most_bias))};
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents)
    elements *= extent;
  const std::int64_t terms = elements / channels;
  // Uniform numbers in [-a, a) have a variance of a^2 / 3.
  const double range = std::sqrt(3 / (static_cast<double>(terms) * std::max(input.second_moment(), least_moment)));
  LayerWeights made{Tensor(extents, uniform(weight_seed, elements, -range, range)), {}};
  if (node.bias) made.bias = Tensor({channels}, uniform(bias_seed, channels, -most_bias, most_bias));
  return made;
}

Weights SeededWeights::all() const {
  Weights weights;
  for (NodeId id = 0; id < network_.nodes().size(); ++id)
    if (has_weights(network_.node(id).op)) weights.emplace(network_.node(id).name, of(id));
  return weights;
}

}  // namespace spillway::models
