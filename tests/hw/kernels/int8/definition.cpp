#include "definition.hpp"

#include <algorithm>
#include <cmath>
#include <functional>

namespace spillway::int8::test {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;
using models::Shape;
using Map = std::vector<std::int8_t>;

/// round(sum * factor) with the factor in 31 bits: mantissa * 2^exponent.
std::int64_t times(std::int64_t sum, double factor) {
  int exponent = 0;
  double mantissa = std::round(std::ldexp(std::frexp(factor, &exponent), 31));
  if (mantissa == std::ldexp(1.0, 31)) {
    mantissa /= 2;
    ++exponent;
  }
  const std::int64_t product = sum * static_cast<std::int64_t>(mantissa);
  const std::int64_t divisor = std::int64_t{1} << (31 - exponent);
  const std::int64_t rounded = (std::abs(product) + divisor / 2) / divisor;
  return product < 0 ? -rounded : rounded;
}

class Evaluation {
 public:
  Evaluation(const quantized::QuantizedNetwork& network, std::span<const std::int8_t> input)
      : network_(network), rows_(quantized::rows_of(network.network)), input_(input.begin(), input.end()) {}

  std::vector<Map> run() {
    for (NodeId id = 0; id < network_.network.nodes().size(); ++id)
      maps_.push_back(map_of(id));
    return std::move(maps_);
  }

 private:
  Map map_of(NodeId id) {
    const Node& node = network_.network.node(id);
    for (const quantized::Row& row : rows_)
      if (row.node == id) return row_map(row);
    if (node.op == Operator::input) return input_;
    Map map;  // views, and activations, which their row has done
    for (const NodeId input : node.inputs)
      map.insert(map.end(), maps_[input].begin(), maps_[input].end());
    return map;
  }

  Map row_map(const quantized::Row& row) {
    row_ = &row;
    const Node& node = network_.network.node(row.node);
    factors_ = factors_of(network_, row);
    switch (node.op) {
      case Operator::convolution:
        return convolution(node);
      case Operator::dense:
        return dense(node);
      case Operator::add:
        return add(node);
      default:
        return pool(node);
    }
  }

  std::int8_t clamped(std::int64_t number) const {
    const double scale = network_.scales[row_->value];
    const auto bound = [scale](float limit) {
      return static_cast<std::int64_t>(std::clamp(std::round(double{limit} / scale), -127.0, 127.0));
    };
    return static_cast<std::int8_t>(std::clamp(number, bound(row_->minimum), bound(row_->maximum)));
  }

  /// Calls visit(value, tap, inside the padded map, inside the map) for a window's elements of a channel.
  void for_each_tap(const Node& node, std::int64_t channel, std::int64_t y, std::int64_t x,
                    const std::function<void(std::int8_t, std::int64_t, bool, bool)>& visit) const {
    const models::Window& window = node.window;
    const Shape shape = network_.network.node(node.inputs.front()).output;
    const Map& map = maps_[node.inputs.front()];
    for (std::int64_t i = 0; i < window.kernel_height; ++i)
      for (std::int64_t j = 0; j < window.kernel_width; ++j) {
        const std::int64_t row = y * window.stride_height - window.pad_top + i * window.dilation_height;
        const std::int64_t column = x * window.stride_width - window.pad_left + j * window.dilation_width;
        const bool inside = row >= 0 && row < shape.height && column >= 0 && column < shape.width;
        const bool padded = row < shape.height + window.pad_bottom && column < shape.width + window.pad_right;
        const std::int8_t value =
            inside ? map[static_cast<std::size_t>((channel * shape.height + row) * shape.width + column)]
                   : std::int8_t{0};
        visit(value, i * window.kernel_width + j, padded, inside);
      }
  }

  /// Calls value(channel, y, x) for each element of the node's result.
  static Map each(const Node& node, const std::function<std::int8_t(std::int64_t, std::int64_t, std::int64_t)>& value) {
    Map map;
    for (std::int64_t c = 0; c < node.output.channels; ++c)
      for (std::int64_t y = 0; y < node.output.height; ++y)
        for (std::int64_t x = 0; x < node.output.width; ++x)
          map.push_back(value(c, y, x));
    return map;
  }

  Map convolution(const Node& node) const {
    const quantized::QuantizedWeights& numbers = network_.weights.at(node.name);
    const std::int64_t channels = network_.network.node(node.inputs.front()).output.channels / node.groups;
    const std::int64_t taps = node.window.kernel_height * node.window.kernel_width;
    return each(node, [&](std::int64_t k, std::int64_t y, std::int64_t x) {
      std::int64_t sum = numbers.bias[static_cast<std::size_t>(k)];
      for (std::int64_t c = 0; c < channels; ++c)
        for_each_tap(node, k / (node.output.channels / node.groups) * channels + c, y, x,
                     [&](std::int8_t value, std::int64_t tap, bool, bool) {
                       sum += value * numbers.weights[static_cast<std::size_t>((k * channels + c) * taps + tap)];
                     });
      return clamped(times(sum, factors_.sums[static_cast<std::size_t>(k)]));
    });
  }

  Map dense(const Node& node) const {
    const quantized::QuantizedWeights& numbers = network_.weights.at(node.name);
    const Map& input = maps_[node.inputs.front()];
    return each(node, [&](std::int64_t k, std::int64_t, std::int64_t) {
      const auto filter = static_cast<std::size_t>(k);
      std::int64_t sum = numbers.bias[filter];
      for (std::size_t i = 0; i < input.size(); ++i)
        sum += input[i] * numbers.weights[filter * input.size() + i];
      return clamped(times(sum, factors_.sums[filter]));
    });
  }

  Map pool(const Node& node) const {
    return each(node, [&](std::int64_t c, std::int64_t y, std::int64_t x) {
      std::int64_t sum = 0, most = -127, in_map = 0, in_padding = 0;
      for_each_tap(node, c, y, x, [&](std::int8_t value, std::int64_t, bool padded, bool inside) {
        in_padding += padded ? 1 : 0;
        if (!inside) return;
        ++in_map;
        sum += value;
        most = std::max<std::int64_t>(most, value);
      });
      if (node.op == Operator::max_pool) return clamped(most);
      const double count = static_cast<double>(node.count_include_pad ? in_padding : in_map);
      return clamped(times(sum, factors_.sums.front() / count));
    });
  }

  Map add(const Node& node) const {
    Map map;
    for (std::size_t i = 0; i < maps_[node.inputs.front()].size(); ++i) {
      std::int64_t sum = 0;
      for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
        sum += times(std::int64_t{maps_[node.inputs[operand]][i]} << 20, factors_.operands[operand]);
      map.push_back(clamped(times(sum, factors_.result / (1 << 20))));
    }
    return map;
  }

  const quantized::QuantizedNetwork& network_;
  std::vector<quantized::Row> rows_;
  Map input_;
  std::vector<Map> maps_;
  const quantized::Row* row_ = nullptr;
  quantized::RowFactors factors_;
};

}  // namespace

std::vector<Map> evaluate(const quantized::QuantizedNetwork& network, std::span<const std::int8_t> input) {
  return Evaluation(network, input).run();
}

}  // namespace spillway::int8::test
