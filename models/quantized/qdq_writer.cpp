#include <cerrno>
#include <fstream>
#include <set>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "models/onnx_constants.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_graph.hpp"
#include "models/quantized/qdq_file.hpp"

namespace spillway::quantized {
namespace {

namespace fs = std::filesystem;
using models::NodeId;
using models::Tensor;
using onnx::NodeProto;
using onnx::TensorProto;

/// The float32 form of the network. Weights and biases, which QuantizedNetwork's numbers replace, are left out; bounds
/// of activations are there.
onnx::ModelProto float_model(const QuantizedNetwork& network) {
  const auto weights_of = [&network](NodeId id) {
    const std::vector<std::int64_t> extents = models::weight_extents(network.network, id);
    const QuantizedWeights& numbers = network.weights.at(network.network.node(id).name);
    return models::LayerWeights{Tensor(extents, std::vector<float>(numbers.weights.size())),
                                Tensor({extents.front()}, std::vector<float>(numbers.bias.size()))};
  };
  return models::onnx_file::model_of(network.network, {}, weights_of, [](TensorProto& tensor, const Tensor& numbers) {
    if (numbers.extents().empty()) tensor.set_raw_data(numbers.values().data(), sizeof(float));
  });
}

class QdqMaker {
 public:
  explicit QdqMaker(const QuantizedNetwork& network)
      : network_(network), model_(float_model(network)), graph_(*model_.mutable_graph()) {
    for (const NodeProto& node : graph_.node())
      taken_.insert(node.output().begin(), node.output().end());
    for (const TensorProto& tensor : graph_.initializer())
      taken_.insert(tensor.name());
    for (const onnx::ValueInfoProto& input : graph_.input())
      taken_.insert(input.name());
  }

  onnx::ModelProto run() {
    const std::vector<NodeProto> nodes(graph_.node().begin(), graph_.node().end());
    graph_.clear_node();
    std::set<std::string> stored;
    for (const Row& row : quantized::rows_of(network_.network))
      stored.insert(network_.network.node(row.value).name);
    for (const onnx::ValueInfoProto& input : graph_.input()) {
      input_ = input.name();
      rounded_ = unused(input_ + ".rounded");
      quantize(input_, rounded_, network_.scales[*network_.network.find(input_)]);
    }
    for (const NodeProto& node : nodes)
      add(node, stored.contains(node.name()));
    return std::move(model_);
  }

 private:
  void add(NodeProto node, bool is_stored) {
    for (std::string& operand : *node.mutable_input())
      if (operand == input_) operand = rounded_;
    if (network_.weights.contains(node.name())) quantize_weights(node);
    if (!is_stored) {
      *graph_.add_node() = std::move(node);
      return;
    }
    const std::string value = node.output(0), exact = unused(value + ".exact");
    const NodeId id = *network_.network.find(node.name());
    node.set_output(0, exact);
    *graph_.add_node() = std::move(node);
    quantize(exact, value, network_.scales[id]);
  }

  /// QuantizeLinear and DequantizeLinear from one float32 value to another.
  void quantize(const std::string& from, const std::string& to, float scale) {
    const std::string integers = unused(to + ".int8");
    const std::string scale_name = add_floats(to + ".scale", {}, {scale});
    TensorProto& zero = add_tensor(unused(to + ".zero"), TensorProto::INT8, {});
    zero.set_raw_data(std::string(1, '\0'));
    const std::string zero_name = zero.name();
    add_node("QuantizeLinear", {from, scale_name, zero_name}, integers);
    add_node("DequantizeLinear", {integers, scale_name, zero_name}, to);
  }

  /// int8 weights and int32 biases in the place of the node's float32 ones.
  void quantize_weights(const NodeProto& node) {
    const QuantizedWeights& numbers = network_.weights.at(node.name());
    const NodeId id = *network_.network.find(node.name());
    const float input = network_.scales[network_.network.node(id).inputs.front()];
    const auto filters = static_cast<std::int64_t>(numbers.scales.size());
    std::vector<float> bias_scales;
    for (const float scale : numbers.scales)
      bias_scales.push_back(input * scale);
    replace(node.input(1), TensorProto::INT8,
            {reinterpret_cast<const char*>(numbers.weights.data()), numbers.weights.size()},
            add_floats(node.input(1) + ".scale", {filters}, numbers.scales));
    replace(node.input(2), TensorProto::INT32,
            {reinterpret_cast<const char*>(numbers.bias.data()), numbers.bias.size() * sizeof(std::int32_t)},
            add_floats(node.input(2) + ".scale", {filters}, bias_scales));
  }

  void replace(const std::string& name, TensorProto::DataType type, std::string_view bytes, const std::string& scale) {
    const std::string integers = unused(name + (type == TensorProto::INT8 ? ".int8" : ".int32"));
    for (TensorProto& tensor : *graph_.mutable_initializer()) {
      if (tensor.name() != name) continue;
      tensor.set_name(integers);
      tensor.set_data_type(type);
      tensor.set_raw_data(bytes.data(), bytes.size());
      break;
    }
    NodeProto& node = add_node("DequantizeLinear", {integers, scale}, name);
    onnx::AttributeProto& axis = *node.add_attribute();
    axis.set_name("axis");
    axis.set_type(onnx::AttributeProto::INT);
    axis.set_i(0);
  }

  NodeProto& add_node(const char* type, const std::vector<std::string>& inputs, const std::string& output) {
    NodeProto& node = *graph_.add_node();
    node.set_name(fmt::format("{}.{}", output, type));
    node.set_op_type(type);
    for (const std::string& input : inputs)
      node.add_input(input);
    node.add_output(output);
    return node;
  }

  TensorProto& add_tensor(const std::string& name, TensorProto::DataType type,
                          const std::vector<std::int64_t>& extents) {
    TensorProto& tensor = *graph_.add_initializer();
    tensor.set_name(name);
    tensor.set_data_type(type);
    for (const std::int64_t extent : extents)
      tensor.add_dims(extent);
    return tensor;
  }

  std::string add_floats(const std::string& wanted, const std::vector<std::int64_t>& extents,
                         const std::vector<float>& values) {
    TensorProto& tensor = add_tensor(unused(wanted), TensorProto::FLOAT, extents);
    tensor.set_raw_data(values.data(), values.size() * sizeof(float));
    return tensor.name();
  }

  std::string unused(std::string name) {
    while (!taken_.insert(name).second)
      name += '_';
    return name;
  }

  const QuantizedNetwork& network_;
  onnx::ModelProto model_;
  onnx::GraphProto& graph_;
  std::set<std::string> taken_;
  std::string input_, rounded_;
};

[[noreturn]] void fail(const fs::path& path, const std::string& what) {
  throw models::OnnxError(path, {{"", "", what}});
}

}  // namespace

void write_quantized(const QuantizedNetwork& network, const fs::path& path) {
  check(network);
  if (fs::is_directory(path)) fail(path, "cannot be written: it is a folder");
  std::string bytes;
  try {
    const onnx::ModelProto model = QdqMaker(network).run();
    models::onnx_file::check_with_libonnx(model, path);
    if (model.ByteSizeLong() > models::onnx_file::most_file_bytes || !model.SerializeToString(&bytes))
      fail(path, "more than 2 GiB of weights");
  } catch (const models::onnx_file::Refusal& refusal) {
    fail(path, refusal.what());
  }
  const fs::path partial = path.string() + ".partial";
  std::ofstream file(partial, std::ios::binary | std::ios::trunc);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  file.close();
  std::error_code error;
  if (!file)
    error = std::error_code(errno == 0 ? EIO : errno, std::generic_category());
  else
    fs::rename(partial, path, error);
  if (!error) return;
  std::error_code ignored;
  fs::remove(partial, ignored);
  fail(path, fmt::format("cannot be written: {}", error.message()));
}

}  // namespace spillway::quantized
