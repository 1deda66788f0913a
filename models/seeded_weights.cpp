#include "models/seeded_weights.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

// Only operations that IEEE 754 defines to the last bit are used (no exp, log or pow): same seed, same weights,
// anywhere.
namespace spillway::models {
namespace {

using Distribution = std::array<double, 16>;

/// The middles of sixteen equal shares of a normal distribution, scaled to a variance of exactly 1.
constexpr Distribution standard_normal() {
  constexpr std::array upper = {0.0816, 0.2468, 0.4186, 0.6025, 0.8078, 1.0509, 1.3714, 1.9381};
  Distribution values{};
  for (std::size_t i = 0; i < upper.size(); ++i) {
    values[8 + i] = upper[i];
    values[7 - i] = -upper[i];
  }
  return values;
}

double mean_of(const Distribution& values) {
  double sum = 0;
  for (const double value : values)
    sum += value;
  return sum / static_cast<double>(values.size());
}

double second_moment_of(const Distribution& values) {
  double sum = 0;
  for (const double value : values)
    sum += value * value;
  return sum / static_cast<double>(values.size());
}

double variance_of(const Distribution& values) {
  const double mean = mean_of(values);
  return std::max(second_moment_of(values) - mean * mean, 0.0);
}

Distribution normal(double mean, double variance) {
  Distribution values = standard_normal();
  for (double& value : values)
    value = mean + std::sqrt(variance) * value;
  return values;
}

template <typename Function>
Distribution through(Distribution values, Function function) {
  std::ranges::transform(values, values.begin(), function);
  std::ranges::sort(values);
  return values;
}

/// Sixteen values for weighted ones that stand for all.
Distribution resample(std::vector<std::pair<double, double>> weighted) {
  std::ranges::sort(weighted);
  double total = 0;
  for (const auto& [value, weight] : weighted)
    total += weight;
  Distribution values{};
  std::size_t at = 0;
  double passed = weighted.front().second;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const double middle = (static_cast<double>(i) + 0.5) / static_cast<double>(values.size()) * total;
    while (passed < middle && at + 1 < weighted.size())
      passed += weighted[++at].second;
    values[i] = weighted[at].first;
  }
  return values;
}

/// The greatest of several. Neighbours in a map are alike: a window counts as few independent values.
Distribution greatest(const Distribution& values, std::int64_t window_rows) {
  const std::int64_t independent = std::clamp<std::int64_t>(window_rows, 1, 4);
  const auto power = [independent](double base) {
    double result = 1;
    for (std::int64_t i = 0; i < independent; ++i)
      result *= base;
    return result;
  };
  std::vector<std::pair<double, double>> weighted;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto share = static_cast<double>(values.size());
    weighted.emplace_back(values[i], power(static_cast<double>(i + 1) / share) - power(static_cast<double>(i) / share));
  }
  return resample(std::move(weighted));
}

/// The mean over a window. What differs between channels stays: behind rectified inputs that is 0.64 of the variance.
Distribution averaged(const Distribution& values) {
  const double mean = mean_of(values);
  return through(values, [mean](double value) { return mean + 0.8 * (value - mean); });
}

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

constexpr double most_bias = 0.1;    ///< biases and shifts: up to this much, either way
constexpr double most_spread = 0.2;  ///< scales of normalizations: up to this share, either way

}  // namespace

SeededWeights::SeededWeights(const Network& network, std::uint64_t seed) : network_(network), seed_(seed) {
  for (NodeId id = 0; id < network.nodes().size(); ++id)
    distributions_.push_back(distribution_of(id));
}

SeededWeights::Distribution SeededWeights::distribution_of(NodeId id) const {
  const Node& node = network_.node(id);
  const auto input = [&](std::size_t i) -> const Distribution& { return distributions_[node.inputs[i]]; };
  switch (node.op) {
    case Operator::input:
    case Operator::convolution:
    case Operator::dense:
    case Operator::batch_normalization:
      return normal(0, 1);
    case Operator::max_pool:
      return greatest(input(0), std::max(node.window.kernel_height, node.window.kernel_width));
    case Operator::average_pool:
      return averaged(input(0));
    case Operator::add: {
      double mean = 0, variance = 0;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        mean += mean_of(input(i));
        variance += variance_of(input(i));
      }
      return normal(mean, variance);
    }
    case Operator::multiply: {
      double mean = 1, moment = 1;
      for (std::size_t i = 0; i < node.inputs.size(); ++i) {
        mean *= mean_of(input(i));
        moment *= second_moment_of(input(i));
      }
      return normal(mean, std::max(moment - mean * mean, 0.0));
    }
    case Operator::concat: {
      std::vector<std::pair<double, double>> weighted;
      for (std::size_t i = 0; i < node.inputs.size(); ++i)
        for (const double value : input(i))
          weighted.emplace_back(value, static_cast<double>(network_.node(node.inputs[i]).output.channels));
      return resample(std::move(weighted));
    }
    case Operator::relu:
      return through(input(0), [](double x) { return std::max(x, 0.0); });
    case Operator::relu6:
      return through(input(0), [](double x) { return std::clamp(x, 0.0, 6.0); });
    case Operator::leaky_relu:
      return through(input(0), [&](double x) { return x < 0 ? x * node.slope : x; });
    case Operator::clip:
      return through(input(0), [&](double x) { return std::clamp<double>(x, node.minimum, node.maximum); });
    case Operator::sigmoid:
      return through(input(0), sigmoid_like);
    case Operator::hard_sigmoid:
      return through(input(0), [&](double x) { return std::clamp(node.slope * x + node.offset, 0.0, 1.0); });
    case Operator::hard_swish:
      return through(input(0), [](double x) { return x * std::clamp(x / 6 + 0.5, 0.0, 1.0); });
    case Operator::tanh:
      return through(input(0), [](double x) { return 2 * sigmoid_like(2 * x) - 1; });
    case Operator::softmax:
      return normal(1 / static_cast<double>(node.output.channels), 0);
    case Operator::local_response_normalization:  // close to the identity for values around 1
    case Operator::dropout:
    case Operator::identity:
    case Operator::flatten:
    case Operator::reshape:
    case Operator::transpose:
      return input(0);
  }
  return normal(0, 1);
}

LayerWeights SeededWeights::of(NodeId id) const {
  const Node& node = network_.node(id);
  if (!has_weights(node.op)) return {};
  // A map of nothing but zeros cannot be scaled to anything.
  constexpr double least = 1e-12;
  const Distribution& input = distributions_[node.inputs.front()];
  const std::vector<std::int64_t> extents = weight_extents(network_, id);
  const std::int64_t channels = extents.front();
  const std::uint64_t weight_seed = seed_of(seed_, node.name, "weight");
  const std::uint64_t bias_seed = seed_of(seed_, node.name, "bias");
  if (node.op == Operator::batch_normalization) {
    const double scale = 1 / std::sqrt(std::max(variance_of(input), least));
    const double shift = -mean_of(input) * scale;
    return {Tensor(extents, uniform(weight_seed, channels, (1 - most_spread) * scale, (1 + most_spread) * scale)),
            Tensor(extents, uniform(bias_seed, channels, shift - most_bias, shift + most_bias))};
  }
  std::int64_t elements = 1;
  for (const std::int64_t extent : extents)
    elements *= extent;
  const double terms = static_cast<double>(elements / channels);
  // Uniform numbers in [-a, a) have a variance of a^2 / 3.
  const double range = std::sqrt(3 / (terms * std::max(second_moment_of(input), least)));
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
