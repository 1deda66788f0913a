#include "models/onnx_graph.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/onnx_constants.hpp"

namespace spillway::models::onnx_file {
namespace {

using onnx::AttributeProto;
using onnx::NodeProto;
using Extents = std::vector<std::int64_t>;

class GraphMaker {
 public:
  GraphMaker(const Network& network, const OnnxWriteOptions& options,
             const std::function<LayerWeights(NodeId)>& weights_of, const Store& store)
      : network_(network),
        options_(options),
        weights_of_(weights_of),
        store_(store),
        wants_row_(network.nodes().size()) {
    for (const Node& node : network.nodes()) {
      const auto named = options.tensors.find(node.name);
      tensors_.push_back(named == options.tensors.end() ? node.name : named->second);
      taken_.insert(node.name);
      taken_.insert(tensors_.back());
    }
    decide_rows();
  }

  std::set<std::string> rows() {
    std::set<std::string> names;
    for (NodeId id = 0; id < network_.nodes().size(); ++id) {
      is_row_.push_back(makes_row(id));
      if (is_row_.back()) names.insert(network_.node(id).name);
    }
    return names;
  }

  onnx::ModelProto run() {
    model_.set_ir_version(7);
    model_.set_producer_name("spillway");
    graph_.set_name(network_.name());
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      add(id);
    add_outputs(options_.outputs);
    onnx::OperatorSetIdProto& set = *model_.add_opset_import();
    set.set_domain("");
    set.set_version(needs_opset_14_ ? 14 : 13);
    if (!dense_weight_bytes_.empty()) {
      onnx::StringStringEntryProto& entry = *model_.add_metadata_props();
      entry.set_key(dense_weight_bytes_key);
      entry.set_value(dense_weight_bytes_);
    }
    return std::move(model_);
  }

 private:
  static bool keeps_rank(Operator op) {
    switch (op) {
      case Operator::input:
      case Operator::convolution:
      case Operator::dense:
      case Operator::max_pool:
      case Operator::average_pool:
      case Operator::flatten:
      case Operator::reshape:
      case Operator::transpose:
        return false;
      default:
        return true;
    }
  }

  /// A vector is a row, 1xN, where a dense layer reads it, and a map, 1xNx1x1, elsewhere.
  void decide_rows() {
    for (NodeId id = network_.nodes().size(); id-- > 0;) {
      const Node& node = network_.node(id);
      for (const NodeId operand : node.inputs)
        if (node.op == Operator::dense || (keeps_rank(node.op) && wants_row_[id])) wants_row_[operand] = true;
    }
  }

  bool makes_row(NodeId id) const {
    const Node& node = network_.node(id);
    if (node.op == Operator::dense || node.op == Operator::flatten) return true;
    const bool is_vector = node.output.height == 1 && node.output.width == 1;
    if (node.op == Operator::input || node.op == Operator::reshape)
      return is_vector && (options_.rows ? options_.rows->contains(node.name) : wants_row_[id]);
    return keeps_rank(node.op) && std::ranges::all_of(node.inputs, [this](NodeId operand) { return is_row_[operand]; });
  }

  static Extents extents_of(const Shape& shape, bool row) {
    return row ? Extents{1, shape.elements()} : Extents{1, shape.channels, shape.height, shape.width};
  }

  std::string unused(std::string name) {
    while (!taken_.insert(name).second)
      name += '_';
    return name;
  }

  NodeProto& add_node(const std::string& name, const char* type, const std::vector<std::string>& inputs) {
    NodeProto& node = *graph_.add_node();
    node.set_name(name);
    node.set_op_type(type);
    for (const std::string& input : inputs)
      node.add_input(input);
    const std::optional<NodeId> id = network_.find(name);
    node.add_output(id ? tensors_[*id] : name);
    return node;
  }

  static AttributeProto& attribute(NodeProto& node, const char* name, AttributeProto::AttributeType type) {
    AttributeProto& made = *node.add_attribute();
    made.set_name(name);
    made.set_type(type);
    return made;
  }
  static void set(NodeProto& node, const char* name, std::int64_t value) {
    attribute(node, name, AttributeProto::INT).set_i(value);
  }
  static void set(NodeProto& node, const char* name, float value) {
    attribute(node, name, AttributeProto::FLOAT).set_f(value);
  }
  static void set(NodeProto& node, const char* name, const Extents& values) {
    AttributeProto& made = attribute(node, name, AttributeProto::INTS);
    for (const std::int64_t value : values)
      made.add_ints(value);
  }

  std::string add_numbers(const std::string& wanted, const Extents& extents, std::vector<float> values) {
    return add_numbers(wanted, Tensor(extents, std::move(values)));
  }

  std::string add_numbers(const std::string& wanted, const Tensor& numbers) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(unused(wanted));
    tensor.set_data_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : numbers.extents())
      tensor.add_dims(extent);
    store_(tensor, numbers);
    return tensor.name();
  }

  std::string add_number(const std::string& wanted, float value) { return add_numbers(wanted, {}, {value}); }

  std::string add_extents(const std::string& wanted, const Extents& extents) {
    onnx::TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(unused(wanted));
    tensor.set_data_type(onnx::TensorProto::INT64);
    tensor.add_dims(static_cast<std::int64_t>(extents.size()));
    for (const std::int64_t extent : extents)
      tensor.add_int64_data(extent);
    return tensor.name();
  }

  static void set_value(onnx::ValueInfoProto& value, const std::string& name, const Extents& extents) {
    value.set_name(name);
    onnx::TypeProto::Tensor& type = *value.mutable_type()->mutable_tensor_type();
    type.set_elem_type(onnx::TensorProto::FLOAT);
    for (const std::int64_t extent : extents)
      type.mutable_shape()->add_dim()->set_dim_value(extent);
  }

  /// An operand as a row or as a map, whatever it was made as.
  std::string operand(const Node& reader, NodeId id, bool row) {
    const Node& node = network_.node(id);
    const std::string& tensor = tensors_[id];
    if (is_row_[id] == row) return tensor;
    std::string name = unused(reader.name + (row ? "_row" : "_map"));
    if (row) {
      set(add_node(name, "Flatten", {tensor}), "axis", std::int64_t{1});
    } else {
      const std::string extents = add_extents(name + ".shape", extents_of(node.output, false));
      add_node(name, "Reshape", {tensor, extents});
    }
    return name;
  }

  std::vector<std::string> operands(NodeId id) {
    const Node& node = network_.node(id);
    const bool row = is_row_[id] || node.op == Operator::dense;
    std::vector<std::string> names;
    for (const NodeId input : node.inputs)
      names.push_back(node.op == Operator::flatten || node.op == Operator::reshape ? tensors_[input]
                                                                                   : operand(node, input, row));
    return names;
  }

  void add(NodeId id) {
    const Node& node = network_.node(id);
    is_row_.push_back(makes_row(id));
    if (node.op == Operator::input) {
      set_value(*graph_.add_input(), tensors_[id], extents_of(node.output, is_row_[id]));
      return;
    }
    std::vector<std::string> inputs = operands(id);
    switch (node.op) {
      case Operator::convolution:
        return add_convolution(id, std::move(inputs));
      case Operator::dense:
        return add_dense(id, std::move(inputs));
      case Operator::batch_normalization:
        return add_normalization(id, std::move(inputs));
      case Operator::max_pool:
      case Operator::average_pool:
        return add_pool(node, network_.input_shape(id), inputs);
      case Operator::clip:
      case Operator::relu6:
        return add_clip(node, std::move(inputs));
      case Operator::reshape:
        inputs.push_back(add_extents(node.name + ".shape", extents_of(node.output, is_row_[id])));
        add_node(node.name, "Reshape", inputs);
        return;
      default:
        return add_plain(node, inputs);
    }
  }

  LayerWeights checked_weights(NodeId id) const {
    const Node& node = network_.node(id);
    LayerWeights weights = weights_of_(id);
    const Extents expected = weight_extents(network_, id);
    const bool has_bias = node.bias || node.op == Operator::batch_normalization;
    if (weights.weights.extents() != expected)
      throw Refusal(fmt::format("weights of {} for node '{}'; expected {}", text_of(weights.weights.extents()),
                                node.name, text_of(expected)));
    if (weights.bias.extents() != (has_bias ? Extents{expected.front()} : Extents{}) ||
        weights.bias.empty() == has_bias)
      throw Refusal(fmt::format("a bias of {} numbers for node '{}'; expected {}", weights.bias.values().size(),
                                node.name, has_bias ? expected.front() : 0));
    return weights;
  }

  void add_weights(NodeId id, std::vector<std::string>& inputs, const char* first, const char* second) {
    const LayerWeights weights = checked_weights(id);
    const std::string& name = network_.node(id).name;
    inputs.push_back(add_numbers(name + first, weights.weights));
    if (!weights.bias.empty()) inputs.push_back(add_numbers(name + second, weights.bias));
  }

  static void set_window(NodeProto& made, const Window& window) {
    set(made, "kernel_shape", Extents{window.kernel_height, window.kernel_width});
    set(made, "strides", Extents{window.stride_height, window.stride_width});
    set(made, "pads", Extents{window.pad_top, window.pad_left, window.pad_bottom, window.pad_right});
  }

  void add_convolution(NodeId id, std::vector<std::string> inputs) {
    const Node& node = network_.node(id);
    add_weights(id, inputs, ".weight", ".bias");
    NodeProto& made = add_node(node.name, "Conv", inputs);
    set_window(made, node.window);
    set(made, "dilations", Extents{node.window.dilation_height, node.window.dilation_width});
    set(made, "group", node.groups);
    if (node.dense_weight_bytes) dense_weight_bytes_ += node.name + '\n';
  }

  void add_dense(NodeId id, std::vector<std::string> inputs) {
    add_weights(id, inputs, ".weight", ".bias");
    set(add_node(network_.node(id).name, "Gemm", inputs), "transB", std::int64_t{1});
  }

  /// The statistics are in scale and shift already: mean 0, variance 1 and epsilon 0 leave them to the bit.
  void add_normalization(NodeId id, std::vector<std::string> inputs) {
    const Node& node = network_.node(id);
    add_weights(id, inputs, ".scale", ".shift");
    const std::vector<float> zeros(static_cast<std::size_t>(node.output.channels), 0.0F);
    const std::vector<float> ones(zeros.size(), 1.0F);
    inputs.push_back(add_numbers(node.name + ".mean", {node.output.channels}, zeros));
    inputs.push_back(add_numbers(node.name + ".variance", {node.output.channels}, ones));
    set(add_node(node.name, "BatchNormalization", inputs), "epsilon", 0.0F);
  }

  void add_pool(const Node& node, const Shape& in, const std::vector<std::string>& inputs) {
    const Window& window = node.window;
    const bool is_max = node.op == Operator::max_pool;
    Window whole;
    whole.kernel_height = in.height;
    whole.kernel_width = in.width;
    if (window == whole && !node.count_include_pad) {
      add_node(node.name, is_max ? "GlobalMaxPool" : "GlobalAveragePool", inputs);
      return;
    }
    if (is_max && (window.dilation_height != 1 || window.dilation_width != 1)) {
      set(add_pool_node(node, inputs), "dilations", Extents{window.dilation_height, window.dilation_width});
      return;
    }
    if (window.dilation_height != 1 || window.dilation_width != 1)
      throw Refusal(fmt::format("node '{}' is a dilated average_pool; expected a dilation of 1", node.name));
    NodeProto& made = add_pool_node(node, inputs);
    if (!is_max) set(made, "count_include_pad", std::int64_t{node.count_include_pad});
  }

  NodeProto& add_pool_node(const Node& node, const std::vector<std::string>& inputs) {
    NodeProto& made = add_node(node.name, node.op == Operator::max_pool ? "MaxPool" : "AveragePool", inputs);
    set_window(made, node.window);
    set(made, "ceil_mode", std::int64_t{node.window.ceil_mode});
    return made;
  }

  void add_clip(const Node& node, std::vector<std::string> inputs) {
    const bool is_relu6 = node.op == Operator::relu6;
    const float minimum = is_relu6 ? 0 : node.minimum, maximum = is_relu6 ? 6 : node.maximum;
    inputs.push_back(std::isinf(minimum) ? "" : add_number(node.name + ".minimum", minimum));
    inputs.push_back(std::isinf(maximum) ? "" : add_number(node.name + ".maximum", maximum));
    while (inputs.back().empty())
      inputs.pop_back();
    add_node(node.name, "Clip", inputs);
  }

  void add_plain(const Node& node, const std::vector<std::string>& inputs) {
    NodeProto& made = add_node(node.name, type_of(node), inputs);
    if (node.op == Operator::concat || node.op == Operator::softmax || node.op == Operator::flatten)
      set(made, "axis", std::int64_t{1});
    if (node.op == Operator::leaky_relu || node.op == Operator::hard_sigmoid) set(made, "alpha", node.slope);
    if (node.op == Operator::hard_sigmoid) set(made, "beta", node.offset);
    if (node.op == Operator::local_response_normalization) {
      set(made, "size", node.normalization_size);
      set(made, "alpha", node.normalization_alpha);
      set(made, "beta", node.normalization_beta);
      set(made, "bias", node.normalization_bias);
    }
    if (node.op == Operator::transpose) {
      Extents order = {0};
      for (const std::uint8_t axis : node.permutation)
        order.push_back(axis + 1);
      set(made, "perm", order);
    }
    needs_opset_14_ = needs_opset_14_ || node.op == Operator::hard_swish;
  }

  static const char* type_of(const Node& node) {
    switch (node.op) {
      case Operator::add:
        return node.inputs.size() == 2 ? "Add" : "Sum";
      case Operator::multiply:
        if (node.inputs.size() == 2) return "Mul";
        break;
      case Operator::concat:
        return "Concat";
      case Operator::local_response_normalization:
        return "LRN";
      case Operator::relu:
        return "Relu";
      case Operator::leaky_relu:
        return "LeakyRelu";
      case Operator::sigmoid:
        return "Sigmoid";
      case Operator::hard_sigmoid:
        return "HardSigmoid";
      case Operator::hard_swish:
        return "HardSwish";
      case Operator::tanh:
        return "Tanh";
      case Operator::softmax:
        return "Softmax";
      case Operator::dropout:
        return "Dropout";
      case Operator::identity:
        return "Identity";
      case Operator::flatten:
        return "Flatten";
      case Operator::transpose:
        return "Transpose";
      default:
        break;
    }
    throw Refusal(fmt::format("node '{}' ({}, {} inputs) has no ONNX operator", node.name, to_string(node.op),
                              node.inputs.size()));
  }

  void add_outputs(const std::vector<std::string>& wanted) {
    std::vector<NodeId> outputs;
    for (const std::string& name : wanted) {
      const std::optional<NodeId> id = network_.find(name);
      if (!id) throw Refusal(fmt::format("the output '{}' is no node of the network", name));
      outputs.push_back(*id);
    }
    if (wanted.empty())
      for (NodeId id = 0; id < network_.nodes().size(); ++id)
        if (network_.consumers(id).empty()) outputs.push_back(id);
    for (const NodeId id : outputs) {
      const Node& node = network_.node(id);
      if (node.op == Operator::input) throw Refusal(fmt::format("the output '{}' is an input", node.name));
      set_value(*graph_.add_output(), tensors_[id], extents_of(node.output, is_row_[id]));
    }
  }

  const Network& network_;
  const OnnxWriteOptions& options_;
  const std::function<LayerWeights(NodeId)>& weights_of_;
  const Store& store_;
  std::vector<bool> wants_row_, is_row_;
  std::set<std::string> taken_;
  std::vector<std::string> tensors_;  ///< by node
  std::string dense_weight_bytes_;
  bool needs_opset_14_ = false;
  onnx::ModelProto model_;
  onnx::GraphProto& graph_ = *model_.mutable_graph();
};

}  // namespace

onnx::ModelProto model_of(const Network& network, const OnnxWriteOptions& options,
                          const std::function<LayerWeights(NodeId)>& weights_of, const Store& store) {
  return GraphMaker(network, options, weights_of, store).run();
}

}  // namespace spillway::models::onnx_file

namespace spillway::models {

std::set<std::string> rows_of(const Network& network) {
  const OnnxWriteOptions options;
  return onnx_file::GraphMaker(network, options, nullptr, nullptr).rows();
}

}  // namespace spillway::models
