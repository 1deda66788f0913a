#include "reference.hpp"

#include <algorithm>

namespace spillway::execution {
namespace {

using models::Node;
using models::NodeId;
using models::Operator;
using models::Shape;
using Values = std::vector<std::int8_t>;

std::size_t at(const Shape& shape, std::int64_t c, std::int64_t y, std::int64_t x) {
  return static_cast<std::size_t>((c * shape.height + y) * shape.width + x);
}

class Reference {
 public:
  Reference(const QuantizedNetwork& network, const Values& input) : quantized_(network), network_(network.network) {
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      values_.push_back(id == 0 ? input : compute(id));
  }

  std::vector<Values> values() && { return std::move(values_); }

 private:
  Values compute(NodeId id) const {
    const Node& node = network_.node(id);
    const auto row = std::ranges::find(quantized_.rows, id);
    if (row != quantized_.rows.end())
      return compute_row(node, id, static_cast<std::size_t>(row - quantized_.rows.begin()));
    if (node.op == Operator::transpose) return transposed(node);
    Values all;
    for (const NodeId input : node.inputs)
      all.insert(all.end(), values_[input].begin(), values_[input].end());
    return all;
  }

  Values transposed(const Node& node) const {
    const Shape& from = network_.node(node.inputs.front()).output;
    Values result;
    for (std::int64_t c = 0; c < node.output.channels; ++c) {
      for (std::int64_t y = 0; y < node.output.height; ++y) {
        for (std::int64_t x = 0; x < node.output.width; ++x) {
          const std::int64_t position[] = {c, y, x};
          std::int64_t source[3] = {};
          for (int axis = 0; axis < 3; ++axis)
            source[node.permutation[static_cast<std::size_t>(axis)]] = position[axis];
          result.push_back(values_[node.inputs.front()][at(from, source[0], source[1], source[2])]);
        }
      }
    }
    return result;
  }

  Values compute_row(const Node& node, NodeId id, std::size_t row) const {
    Values result;
    for (std::int64_t c = 0; c < node.output.channels; ++c) {
      for (std::int64_t y = 0; y < node.output.height; ++y) {
        for (std::int64_t x = 0; x < node.output.width; ++x)
          result.push_back(element(node, network_.input_shape(id), row, c, y, x));
      }
    }
    return result;
  }

  std::int8_t element(const Node& node, const Shape& from, std::size_t row, std::int64_t c, std::int64_t y,
                      std::int64_t x) const {
    const QuantizedLayer& layer = quantized_.layers[row];
    const Values& input = values_[node.inputs.front()];
    const auto weight = [&](std::int64_t i) {
      return static_cast<std::int8_t>(quantized_.weights[row][static_cast<std::size_t>(i)]);
    };
    std::int32_t sum = 0;
    switch (node.op) {
      case Operator::convolution: {
        const std::int64_t own = from.channels / node.groups, first = c / (node.output.channels / node.groups) * own;
        const std::int64_t kernel = node.window.kernel_height * node.window.kernel_width;
        for (std::int64_t k = 0; k < own; ++k) {
          over_window(node, from, y, x, [&](std::int64_t tap, std::int64_t row_in, std::int64_t column_in) {
            sum += weight((c * own + k) * kernel + tap) * input[at(from, first + k, row_in, column_in)];
          });
        }
        return finish(layer, static_cast<std::size_t>(c), sum);
      }
      case Operator::dense:
        for (std::int64_t i = 0; i < from.elements(); ++i)
          sum += weight(c * from.elements() + i) * input[static_cast<std::size_t>(i)];
        return finish(layer, static_cast<std::size_t>(c), sum);
      case Operator::max_pool: {
        std::int8_t most = -128;
        over_window(node, from, y, x, [&](std::int64_t, std::int64_t row_in, std::int64_t column_in) {
          most = std::max(most, input[at(from, c, row_in, column_in)]);
        });
        return int8::clamped(most, layer.clamp);
      }
      case Operator::average_pool: {
        std::size_t count = 0;
        over_window(node, from, y, x, [&](std::int64_t, std::int64_t row_in, std::int64_t column_in) {
          sum += input[at(from, c, row_in, column_in)];
          ++count;
        });
        return int8::requantized(sum, layer.rescales[count - 1], layer.clamp);
      }
      default:
        for (std::size_t operand = 0; operand < node.inputs.size(); ++operand) {
          const std::int32_t value = values_[node.inputs[operand]][at(from, c, y, x)];
          sum +=
              static_cast<std::int32_t>(int8::rescaled(value * (1 << int8::addition_shift), layer.rescales[operand]));
        }
        return int8::requantized(sum, layer.result, layer.clamp);
    }
  }

  static std::int8_t finish(const QuantizedLayer& layer, std::size_t channel, std::int32_t sum) {
    const int8::OutputChannel& output = layer.channels[channel];
    return int8::requantized(sum + output.bias, output.rescale, layer.clamp);
  }

  /// Calls `take(number of the tap, row, column)` for each tap that lies in the map.
  template <class Take>
  static void over_window(const Node& node, const Shape& from, std::int64_t y, std::int64_t x, const Take& take) {
    const models::Window& window = node.window;
    for (std::int64_t i = 0; i < window.kernel_height; ++i) {
      for (std::int64_t j = 0; j < window.kernel_width; ++j) {
        const std::int64_t row = y * window.stride_height - window.pad_top + i * window.dilation_height;
        const std::int64_t column = x * window.stride_width - window.pad_left + j * window.dilation_width;
        if (row < 0 || row >= from.height || column < 0 || column >= from.width) continue;
        take(i * window.kernel_width + j, row, column);
      }
    }
  }

  const QuantizedNetwork& quantized_;
  const models::Network& network_;
  std::vector<Values> values_;
};

}  // namespace

std::vector<Values> reference(const QuantizedNetwork& network, const Values& input) {
  return Reference(network, input).values();
}

}  // namespace spillway::execution
