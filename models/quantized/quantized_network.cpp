#include "models/quantized/quantized_network.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>
#include <limits>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace spillway::quantized {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;

constexpr double addition_scale = 1 << 20;  // of the operands of an addition (hw/kernels/int8/requantize.hpp)

bool is_scale(float scale) {
  return std::isfinite(scale) && scale >= std::numeric_limits<float>::min();
}

class Check {
 public:
  explicit Check(const QuantizedNetwork& network) : network_(network) {}

  void run() {
    const std::vector<Row> rows = rows_of(network_.network);
    check_scales();
    check_weights();
    if (problems_.empty())
      for (const Row& row : rows)
        check_row(row);
    if (!problems_.empty()) throw QuantizationError(network_.network.name(), std::move(problems_));
  }

 private:
  void check_scales() {
    const std::vector<Node>& nodes = network_.network.nodes();
    if (network_.scales.size() != nodes.size()) {
      problem(network_.network.name(),
              fmt::format("{} scales for {} nodes; expected one for each", network_.scales.size(), nodes.size()));
      return;
    }
    const std::vector<NodeId> owners = scale_owners(network_.network);
    for (NodeId id = 0; id < nodes.size(); ++id) {
      const float scale = network_.scales[id], shared = network_.scales[owners[id]];
      if (!is_scale(scale))
        problem(nodes[id].name, fmt::format("a scale of {}; expected a positive number", scale));
      else if (scale != shared)
        problem(nodes[id].name, fmt::format("a scale of {}; expected {} as '{}' has, with which it shares its numbers",
                                            scale, shared, nodes[owners[id]].name));
    }
  }

  void check_weights() {
    for (NodeId id = 0; id < network_.network.nodes().size(); ++id) {
      const Node& node = network_.network.node(id);
      if (!models::has_weights(node.op)) continue;
      const auto found = network_.weights.find(node.name);
      if (found == network_.weights.end()) {
        problem(node.name, "its weights are missing");
        continue;
      }
      const QuantizedWeights& given = found->second;
      const auto filters = static_cast<std::size_t>(node.output.channels);
      const std::vector<std::int64_t> extents = models::weight_extents(network_.network, id);
      const auto count = static_cast<std::size_t>(
          std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>()));
      if (given.weights.size() != count || given.scales.size() != filters || given.bias.size() != filters)
        problem(node.name,
                fmt::format("{} weights, {} scales and {} biases; expected {}, {} and {}", given.weights.size(),
                            given.scales.size(), given.bias.size(), count, filters, filters));
      else if (!std::ranges::all_of(given.scales, is_scale))
        problem(node.name, "a scale of its weights is not a positive number");
      else if (std::ranges::find(given.weights, std::int8_t{-128}) != given.weights.end())
        problem(node.name, "a weight of -128; expected -127 to 127, as weights are symmetric");
      else
        check_sums(node, given);
    }
  }

  void check_sums(const Node& node, const QuantizedWeights& given) {
    const std::size_t filter = given.weights.size() / given.bias.size();
    for (std::size_t k = 0; k < given.bias.size(); ++k) {
      std::int64_t largest = std::abs(std::int64_t{given.bias[k]});
      for (std::size_t i = 0; i < filter; ++i)
        largest += 127 * std::abs(given.weights[k * filter + i]);
      if (largest <= std::numeric_limits<std::int32_t>::max()) continue;
      problem(node.name, fmt::format("the sum of filter {} may reach {}; expected at most 2147483647, what int32 holds",
                                     k, largest));
      return;
    }
  }

  void check_row(const Row& row) {
    const RowFactors factors = factors_of(network_, row);
    const std::string& name = network_.network.node(row.node).name;
    const auto check_factor = [&](double factor) {
      if (factor >= smallest_factor && factor < largest_factor) return true;
      problem(name, fmt::format("a quotient of scales of {:g}; expected {:g} to {:g}", factor, smallest_factor,
                                largest_factor));
      return false;
    };
    for (const double factor : factors.sums)
      if (!check_factor(factor)) return;
    for (const double factor : factors.operands)
      if (!check_factor(factor)) return;
    const Node& node = network_.network.node(row.node);
    if (node.op == Operator::average_pool)
      check_factor(factors.sums.front() / static_cast<double>(node.window.kernel_height * node.window.kernel_width));
    check_factor(factors.result / addition_scale);
  }

  void problem(const std::string& node, std::string what) { problems_.push_back({node, std::move(what)}); }

  const QuantizedNetwork& network_;
  std::vector<Problem> problems_;
};

}  // namespace

Limits limits_of(const Row& row, float scale) {
  return {quantize(row.minimum, scale), quantize(row.maximum, scale)};
}

std::int8_t quantize(float value, float scale) {
  const double quotient = std::round(static_cast<double>(value) / static_cast<double>(scale));
  return static_cast<std::int8_t>(std::clamp(quotient, -127.0, 127.0));
}

std::vector<NodeId> scale_owners(const Network& folded) {
  const std::vector<Node>& nodes = folded.nodes();
  std::vector<NodeId> owners(nodes.size());
  std::iota(owners.begin(), owners.end(), NodeId{0});
  const auto owner = [&owners](NodeId id) {
    while (owners[id] != id)
      id = owners[id];
    return id;
  };
  for (NodeId id = 0; id < nodes.size(); ++id) {
    const Operator op = nodes[id].op;
    if (op == Operator::input || (is_row(op) && op != Operator::max_pool)) continue;
    for (const NodeId input : nodes[id].inputs) {
      const NodeId a = owner(input), b = owner(id);
      owners[std::max(a, b)] = std::min(a, b);
    }
  }
  for (NodeId id = 0; id < nodes.size(); ++id)
    owners[id] = owner(id);
  return owners;
}

RowFactors factors_of(const QuantizedNetwork& network, const Row& row) {
  const Node& node = network.network.node(row.node);
  const double output = network.scales[row.value];
  RowFactors factors;
  if (node.op == Operator::add) {
    double largest = 0;
    for (const NodeId input : node.inputs)
      largest = std::max(largest, static_cast<double>(network.scales[input]));
    for (const NodeId input : node.inputs)
      factors.operands.push_back(network.scales[input] / largest);
    factors.result = largest / output;
    return factors;
  }
  const double input = network.scales[node.inputs.front()];
  if (models::has_weights(node.op)) {
    for (const float scale : network.weights.at(node.name).scales)
      factors.sums.push_back(input * static_cast<double>(scale) / output);
  } else {
    factors.sums.push_back(input / output);
  }
  return factors;
}

void check(const QuantizedNetwork& network) {
  Check(network).run();
}

}  // namespace spillway::quantized
