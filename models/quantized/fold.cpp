#include "models/quantized/fold.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <utility>

#include <fmt/format.h>

namespace spillway::quantized {
namespace {

using models::LayerWeights;
using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;
using models::Shape;
using models::Tensor;

constexpr std::size_t most_operands = 16;  // their sum has room in 32 bits (hw/kernels/int8/requantize.hpp)

/// What int8 has no way to compute at all.
std::optional<std::string> never(Operator op) {
  switch (op) {
    case Operator::multiply:
      return "the product of two maps is not quantised; expected convolution, dense, pooling, add and concatenation";
    case Operator::local_response_normalization:
      return "local response normalization needs powers and quotients, which int8 has not";
    case Operator::leaky_relu:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::hard_swish:
    case Operator::tanh:
      return fmt::format("{} is no clamp; int8 has relu, relu6 and clip", to_string(op));
    case Operator::transpose:
      return "a transpose moves elements that int8 maps store by row, column, channel; readers cannot follow";
    default:
      return std::nullopt;
  }
}

bool is_clamp(Operator op) {
  return op == Operator::relu || op == Operator::relu6 || op == Operator::clip;
}

bool is_view(Operator op) {
  return op == Operator::concat || op == Operator::flatten || op == Operator::reshape;
}

bool is_finite(const Tensor& numbers) {
  return std::ranges::all_of(numbers.values(), [](float number) { return std::isfinite(number); });
}

Tensor scaled(const Tensor& weights, std::span<const float> scale) {
  std::vector<float> values(weights.values().begin(), weights.values().end());
  const std::size_t filter = values.size() / scale.size();
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] *= scale[i / filter];
  return {weights.extents(), std::move(values)};
}

class Folding {
 public:
  Folding(const Network& network, const models::Weights& weights)
      : network_(network), weights_(weights), result_{Network(network.name()), {}} {
    for (NodeId id = 0; id < network.nodes().size(); ++id)
      readers_.push_back(network.consumers(id).size());
  }

  FoldedNetwork run() {
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      place_.push_back(visit(id));
    if (!problems_.empty()) throw QuantizationError(network_.name(), std::move(problems_));
    return std::move(result_);
  }

 private:
  /// Where the node's result is in the folded network.
  NodeId visit(NodeId id) {
    const Node& node = network_.node(id);
    if (const std::optional<std::string> reason = never(node.op)) {
      problem(node, *reason);
      return keep(node);
    }
    switch (node.op) {
      case Operator::dropout:
      case Operator::identity:
        pass_on(id);
        return place_[node.inputs.front()];
      case Operator::softmax:
        if (readers_[id] != 0) problem(node, "a softmax that is read is not quantised; expected one at the end only");
        return place_[node.inputs.front()];
      case Operator::batch_normalization:
        return fold_normalization(id);
      default:
        break;
    }
    if (is_clamp(node.op)) check_alone(node, "an activation");
    if (models::has_weights(node.op)) keep_weights(id);
    return keep(node);
  }

  NodeId keep(const Node& node) {
    Node kept = node;
    kept.bias = models::has_weights(node.op);
    for (NodeId& input : kept.inputs)
      input = place_[input];
    return result_.network.add(std::move(kept));
  }

  /// A node without effect: whoever reads it reads its input.
  void pass_on(NodeId id) {
    const NodeId input = network_.node(id).inputs.front();
    readers_[input] += readers_[id];
    readers_[input] -= readers_[id] != 0 ? 1 : 0;
  }

  /// What is fused into its producer leaves nothing of what is before it.
  bool check_alone(const Node& node, const char* what) {
    const NodeId input = node.inputs.front();
    if (readers_[input] <= 1) return true;
    problem(node, fmt::format("'{}' is read before this and behind it; {} is done where its input is made, so it "
                              "must be the only reader",
                              network_.node(input).name, what));
    return false;
  }

  void keep_weights(NodeId id) {
    const Node& node = network_.node(id);
    const auto found = weights_.find(node.name);
    if (found == weights_.end()) {
      problem(node, "its weights are missing");
      return;
    }
    LayerWeights kept = found->second;
    if (!is_finite(kept.weights) || !is_finite(kept.bias)) problem(node, "a weight or bias that is no finite number");
    if (kept.bias.empty()) {
      const std::int64_t channels = node.output.channels;
      kept.bias = Tensor({channels}, std::vector<float>(static_cast<std::size_t>(channels), 0.0F));
    }
    result_.weights[node.name] = std::move(kept);
  }

  NodeId fold_normalization(NodeId id) {
    const Node& node = network_.node(id);
    const NodeId place = place_[node.inputs.front()];
    const Node& before = result_.network.node(place);
    if (!models::has_weights(before.op)) {
      problem(node, fmt::format("a batch normalization behind {} '{}' would be part of its readers' reading; it can "
                                "be folded into a convolution or dense layer only",
                                to_string(before.op), before.name));
      return place;
    }
    const auto numbers = weights_.find(node.name);
    const auto folded = result_.weights.find(before.name);
    if (numbers == weights_.end()) {
      problem(node, "its scale and shift are missing");
      return place;
    }
    if (!check_alone(node, "a batch normalization") || folded == result_.weights.end()) return place;
    if (!is_finite(numbers->second.weights) || !is_finite(numbers->second.bias))
      problem(node, "a scale or shift that is no finite number");
    const std::span<const float> scale = numbers->second.weights.values(), shift = numbers->second.bias.values();
    std::vector<float> bias;
    for (std::size_t c = 0; c < scale.size(); ++c)
      bias.push_back(folded->second.bias.values()[c] * scale[c] + shift[c]);
    const auto channels = static_cast<std::int64_t>(bias.size());
    folded->second = {scaled(folded->second.weights, scale), Tensor({channels}, std::move(bias))};
    return place;
  }

  void problem(const Node& node, std::string what) { problems_.push_back({node.name, std::move(what)}); }

  const Network& network_;
  const models::Weights& weights_;
  FoldedNetwork result_;
  std::vector<std::size_t> readers_;  ///< by node of the network; nodes without effect do not count
  std::vector<NodeId> place_;         ///< by node of the network: where its result is
  std::vector<Problem> problems_;
};

/// Finds the rows and everything that the kernels could not read.
class RowFinder {
 public:
  explicit RowFinder(const Network& network) : network_(network) {}

  std::vector<Row> run() {
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      visit(id);
    if (rows_.empty() && problems_.empty()) problems_.push_back({network_.name(), "it has no layer to compute"});
    if (!problems_.empty()) throw QuantizationError(network_.name(), std::move(problems_));
    return std::move(rows_);
  }

 private:
  void visit(NodeId id) {
    const Node& node = network_.node(id);
    row_of_.push_back(none);
    if (is_row(node.op)) {
      row_of_.back() = rows_.size();
      rows_.push_back({id, id, -std::numeric_limits<float>::infinity(), std::numeric_limits<float>::infinity()});
      check_row(node);
    } else if (is_clamp(node.op)) {
      fuse(id);
    } else if (node.op == Operator::input) {
      if (has_input_) problem(node, "a second input; expected one");
      has_input_ = true;
    } else if (!is_view(node.op)) {
      problem(node, never(node.op).value_or(fmt::format("{} is not folded", to_string(node.op))));
    }
    flat_.push_back(node.op == Operator::flatten || node.op == Operator::reshape ||
                    (node.op == Operator::concat &&
                     std::ranges::any_of(node.inputs, [this](NodeId input) { return flat_[input]; })));
  }

  void check_row(const Node& node) {
    if (node.op != Operator::dense) {
      for (const NodeId input : node.inputs)
        if (flat_[input] && network_.node(input).output != source_shape(input))
          problem(node, fmt::format("it reads '{}', a map in another shape than it was made; only a dense layer can",
                                    network_.node(input).name));
    }
    if (node.op != Operator::add) return;
    if (node.inputs.size() > most_operands)
      problem(node, fmt::format("{} operands; expected at most {}", node.inputs.size(), most_operands));
    for (const NodeId input : node.inputs)
      if (network_.node(input).output != node.output)
        problem(node, fmt::format("operand '{}' is {}, not {}; int8 adds maps of one shape", network_.node(input).name,
                                  to_string(network_.node(input).output), to_string(node.output)));
  }

  /// The shape in which the map behind flatten and reshape is stored, where it is one map.
  Shape source_shape(NodeId id) const {
    while (network_.node(id).op == Operator::flatten || network_.node(id).op == Operator::reshape)
      id = network_.node(id).inputs.front();
    return network_.node(id).op == Operator::concat && flat_[id] ? Shape{} : network_.node(id).output;
  }

  void fuse(NodeId id) {
    const Node& node = network_.node(id);
    const NodeId input = node.inputs.front();
    const std::size_t row = row_of_[input];
    if (row == none) {
      problem(node, fmt::format("{} behind {} '{}' would be part of its readers' reading; int8 has it behind a "
                                "convolution, dense layer, pooling or add only",
                                to_string(node.op), to_string(network_.node(input).op), network_.node(input).name));
      return;
    }
    if (network_.consumers(input).size() > 1)
      problem(node, fmt::format("'{}' has other readers than this activation", network_.node(input).name));
    row_of_.back() = row;
    Row& fused = rows_[row];
    fused.value = id;
    const float low = node.op == Operator::clip ? node.minimum : 0;
    const float high = node.op == Operator::clip    ? node.maximum
                       : node.op == Operator::relu6 ? 6
                                                    : std::numeric_limits<float>::infinity();
    fused.minimum = std::clamp(fused.minimum, low, high);
    fused.maximum = std::clamp(fused.maximum, low, high);
  }

  void problem(const Node& node, std::string what) { problems_.push_back({node.name, std::move(what)}); }

  static constexpr std::size_t none = std::numeric_limits<std::size_t>::max();

  const Network& network_;
  bool has_input_ = false;
  std::vector<Row> rows_;
  std::vector<std::size_t> row_of_;  ///< by node: the row whose map it is
  std::vector<bool> flat_;           ///< by node: seen through a flatten or reshape
  std::vector<Problem> problems_;
};

}  // namespace

bool is_row(Operator op) {
  return op == Operator::convolution || op == Operator::dense || op == Operator::max_pool ||
         op == Operator::average_pool || op == Operator::add;
}

FoldedNetwork fold(const Network& network, const models::Weights& weights) {
  FoldedNetwork folded = Folding(network, weights).run();
  rows_of(folded.network);
  return folded;
}

std::vector<Row> rows_of(const Network& folded) {
  return RowFinder(folded).run();
}

}  // namespace spillway::quantized
