#include "evaluate.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace spillway::models {
namespace {

using Map = std::vector<float>;

class Evaluation {
 public:
  Evaluation(const Network& network, const Weights& weights) : network_(network), weights_(weights) {}

  std::vector<Map> run(std::span<const float> input) {
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      const bool is_input = network_.node(id).op == Operator::input;
      maps_.push_back(is_input ? Map(input.begin(), input.end()) : map_of(id));
    }
    return std::move(maps_);
  }

 private:
  Map map_of(NodeId id) {
    const Node& node = network_.node(id);
    const Map& in = maps_[node.inputs.front()];
    switch (node.op) {
      case Operator::convolution:
        return convolve(id, in);
      case Operator::dense:
        return multiply_matrix(node, in);
      case Operator::max_pool:
      case Operator::average_pool:
        return pool(node, network_.input_shape(id), in);
      case Operator::add:
      case Operator::multiply:
        return combine(node);
      case Operator::concat:
        return concatenate(node);
      case Operator::batch_normalization:
        return scale_and_shift(node, in);
      case Operator::local_response_normalization:
        return normalize(node, in);
      case Operator::softmax:
        return softmax(node, in);
      case Operator::transpose:
        return transpose(node, network_.input_shape(id), in);
      default:
        return each(node, in);
    }
  }

  Map convolve(NodeId id, const Map& in) const {
    const Node& node = network_.node(id);
    const Shape from = network_.input_shape(id), to = node.output;
    const Window& window = node.window;
    const LayerWeights& weights = weights_.at(node.name);
    const std::span<const float> filters = weights.weights.values();
    const std::int64_t group_inputs = from.channels / node.groups, group_outputs = to.channels / node.groups;
    Map out(static_cast<std::size_t>(to.elements()));
    for (std::int64_t k = 0; k < to.channels; ++k) {
      float* const plane = out.data() + k * to.height * to.width;
      std::fill_n(plane, to.height * to.width, node.bias ? weights.bias.values()[static_cast<std::size_t>(k)] : 0.0F);
      for (std::int64_t c = 0; c < group_inputs; ++c) {
        const float* const source = in.data() + (k / group_outputs * group_inputs + c) * from.height * from.width;
        for (std::int64_t i = 0; i < window.kernel_height; ++i)
          for (std::int64_t j = 0; j < window.kernel_width; ++j) {
            const float weight = filters[static_cast<std::size_t>(
                ((k * group_inputs + c) * window.kernel_height + i) * window.kernel_width + j)];
            add_shifted(plane, source, from, to, window, i, j, weight);
          }
      }
    }
    return out;
  }

  /// Adds what one element of the kernel contributes to a plane.
  static void add_shifted(float* plane, const float* source, const Shape& from, const Shape& to, const Window& window,
                          std::int64_t i, std::int64_t j, float weight) {
    const std::int64_t left = j * window.dilation_width - window.pad_left, stride = window.stride_width;
    const std::int64_t first = left >= 0 ? 0 : (-left + stride - 1) / stride;
    const std::int64_t end =
        left >= from.width ? 0 : std::min<std::int64_t>(to.width, (from.width - 1 - left) / stride + 1);
    for (std::int64_t y = 0; y < to.height; ++y) {
      const std::int64_t row = y * window.stride_height + i * window.dilation_height - window.pad_top;
      if (row < 0 || row >= from.height) continue;
      float* const target = plane + y * to.width;
      const float* const values = source + row * from.width + left;
      for (std::int64_t x = first; x < end; ++x)
        target[x] += weight * values[x * stride];
    }
  }

  Map multiply_matrix(const Node& node, const Map& in) const {
    const LayerWeights& weights = weights_.at(node.name);
    const float* row = weights.weights.values().data();
    Map out(static_cast<std::size_t>(node.output.channels));
    for (std::size_t k = 0; k < out.size(); ++k, row += in.size()) {
      double sum = node.bias ? weights.bias.values()[k] : 0.0F;
      for (std::size_t i = 0; i < in.size(); ++i)
        sum += static_cast<double>(row[i]) * in[i];
      out[k] = static_cast<float>(sum);
    }
    return out;
  }

  static Map pool(const Node& node, const Shape& from, const Map& in) {
    const Window& window = node.window;
    Map out;
    for (std::int64_t c = 0; c < node.output.channels; ++c)
      for (std::int64_t y = 0; y < node.output.height; ++y)
        for (std::int64_t x = 0; x < node.output.width; ++x) {
          float greatest = -std::numeric_limits<float>::infinity();
          double sum = 0;
          std::int64_t counted = 0;
          for (std::int64_t i = 0; i < window.kernel_height; ++i)
            for (std::int64_t j = 0; j < window.kernel_width; ++j) {
              const std::int64_t row = y * window.stride_height + i * window.dilation_height - window.pad_top;
              const std::int64_t column = x * window.stride_width + j * window.dilation_width - window.pad_left;
              const bool on_map = row >= 0 && row < from.height && column >= 0 && column < from.width;
              counted += on_map || node.count_include_pad;
              if (!on_map) continue;
              const float value = in[static_cast<std::size_t>((c * from.height + row) * from.width + column)];
              greatest = std::max(greatest, value);
              sum += value;
            }
          out.push_back(node.op == Operator::max_pool ? greatest
                                                      : static_cast<float>(sum / static_cast<double>(counted)));
        }
    return out;
  }

  Map combine(const Node& node) const {
    Map out = maps_[node.inputs.front()];
    const std::size_t plane = out.size() / static_cast<std::size_t>(node.output.channels);
    for (std::size_t position = 1; position < node.inputs.size(); ++position) {
      const Map& other = maps_[node.inputs[position]];
      const std::size_t repeat = other.size() == out.size() ? 1 : plane;
      for (std::size_t i = 0; i < out.size(); ++i) {
        const float value = other[i / repeat];
        out[i] = node.op == Operator::add ? out[i] + value : out[i] * value;
      }
    }
    return out;
  }

  Map concatenate(const Node& node) const {
    Map out;
    for (const NodeId input : node.inputs)
      out.insert(out.end(), maps_[input].begin(), maps_[input].end());
    return out;
  }

  Map scale_and_shift(const Node& node, Map map) const {
    const LayerWeights& weights = weights_.at(node.name);
    const std::size_t plane = map.size() / static_cast<std::size_t>(node.output.channels);
    for (std::size_t i = 0; i < map.size(); ++i)
      map[i] = map[i] * weights.weights.values()[i / plane] + weights.bias.values()[i / plane];
    return map;
  }

  static Map normalize(const Node& node, const Map& in) {
    const std::int64_t channels = node.output.channels, size = node.normalization_size;
    const auto plane = static_cast<std::int64_t>(in.size()) / channels;
    Map out = in;
    for (std::int64_t c = 0; c < channels; ++c)
      for (std::int64_t i = 0; i < plane; ++i) {
        double sum = 0;
        const std::int64_t end = std::min(channels - 1, c + size / 2);
        for (std::int64_t other = std::max<std::int64_t>(0, c - (size - 1) / 2); other <= end; ++other) {
          const double value = in[static_cast<std::size_t>(other * plane + i)];
          sum += value * value;
        }
        const double base = node.normalization_bias + node.normalization_alpha / static_cast<double>(size) * sum;
        out[static_cast<std::size_t>(c * plane + i)] /= static_cast<float>(std::pow(base, node.normalization_beta));
      }
    return out;
  }

  static Map softmax(const Node& node, Map map) {
    const auto channels = static_cast<std::size_t>(node.output.channels);
    const std::size_t plane = map.size() / channels;
    for (std::size_t i = 0; i < plane; ++i) {
      float greatest = map[i];
      for (std::size_t c = 0; c < channels; ++c)
        greatest = std::max(greatest, map[c * plane + i]);
      double sum = 0;
      for (std::size_t c = 0; c < channels; ++c)
        sum += map[c * plane + i] = std::exp(map[c * plane + i] - greatest);
      for (std::size_t c = 0; c < channels; ++c)
        map[c * plane + i] = static_cast<float>(map[c * plane + i] / sum);
    }
    return map;
  }

  static Map transpose(const Node& node, const Shape& from, const Map& in) {
    const std::array<std::int64_t, 3> strides = {from.height * from.width, from.width, 1};
    const auto stride = [&](std::size_t axis) { return strides[node.permutation[axis]]; };
    Map out;
    for (std::int64_t c = 0; c < node.output.channels; ++c)
      for (std::int64_t y = 0; y < node.output.height; ++y)
        for (std::int64_t x = 0; x < node.output.width; ++x)
          out.push_back(in[static_cast<std::size_t>(c * stride(0) + y * stride(1) + x * stride(2))]);
    return out;
  }

  static Map each(const Node& node, Map map) {
    std::ranges::transform(map, map.begin(), [&node](float x) { return value(node, x); });
    return map;
  }

  static float value(const Node& node, float x) {
    switch (node.op) {
      case Operator::relu:
        return std::max(x, 0.0F);
      case Operator::relu6:
        return std::clamp(x, 0.0F, 6.0F);
      case Operator::leaky_relu:
        return x < 0 ? node.slope * x : x;
      case Operator::clip:
        return std::clamp(x, node.minimum, node.maximum);
      case Operator::sigmoid:
        return 1 / (1 + std::exp(-x));
      case Operator::hard_sigmoid:
        return std::clamp(node.slope * x + node.offset, 0.0F, 1.0F);
      case Operator::hard_swish:
        return x * std::clamp(x / 6 + 0.5F, 0.0F, 1.0F);
      case Operator::tanh:
        return std::tanh(x);
      case Operator::dropout:
      case Operator::identity:
      case Operator::flatten:
      case Operator::reshape:
        return x;
      default:
        throw std::logic_error("an operator that the reference does not know");
    }
  }

  const Network& network_;
  const Weights& weights_;
  std::vector<Map> maps_;
};

}  // namespace

std::vector<std::vector<float>> evaluate(const Network& network, const Weights& weights, std::span<const float> input) {
  return Evaluation(network, weights).run(input);
}

}  // namespace spillway::models
