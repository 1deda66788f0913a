#include <cmath>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "models/mapped_file.hpp"
#include "models/onnx_constants.hpp"
#include "models/onnx_file.hpp"
#include "models/onnx_reader.hpp"
#include "models/quantized/qdq_file.hpp"
#include "models/quantized/qdq_graph.hpp"

namespace spillway::quantized {
namespace {

using models::Node;
using models::NodeId;
using models::OnnxError;
using models::OnnxModel;
using models::OnnxProblem;
using onnx::NodeProto;

/// Numbers of the network's nodes from what the graph said about its values.
class Assembly {
 public:
  Assembly(const onnx::GraphProto& graph, const Quantization& quantization, OnnxModel model)
      : graph_(graph), quantization_(quantization), model_(std::move(model)) {}

  QuantizedNetwork run(const std::filesystem::path& name) {
    QuantizedNetwork result{model_.network, {}, {}};
    try {
      set_scales(result);
      for (const models::OnnxLayer& layer : model_.layers)
        set_weights(layer, result);
      if (problems_.empty()) {
        check(result);
        check_bias_scales(result);
      }
    } catch (const QuantizationError& error) {
      for (const Problem& problem : error.problems())
        this->problem(problem.node, problem.what);
    }
    if (!problems_.empty()) throw OnnxError(name, std::move(problems_));
    return result;
  }

 private:
  std::optional<float> scale_of(const Node& node) const {
    const auto tensor = model_.tensors.find(node.name);
    const auto found = quantization_.scales.find(tensor == model_.tensors.end() ? node.name : tensor->second);
    if (found == quantization_.scales.end()) return std::nullopt;
    return found->second;
  }

  /// Stored maps have scales of their own; what is between them has that of its owner.
  void set_scales(QuantizedNetwork& result) {
    const models::Network& network = result.network;
    const std::vector<Row> rows = rows_of(network);
    const std::vector<NodeId> owners = scale_owners(network);
    std::vector<float> by_owner(owners.size(), 0.0F);
    const auto take = [&](NodeId id) {
      const std::optional<float> scale = scale_of(network.node(id));
      if (!scale) {
        problem(network.node(id).name, "its result is not quantised; expected QuantizeLinear and DequantizeLinear");
        return;
      }
      float& shared = by_owner[owners[id]];
      if (shared != 0 && shared != *scale)
        problem(network.node(id).name,
                fmt::format("a scale of {}; expected {} as '{}' has, with which it shares its numbers", *scale, shared,
                            network.node(owners[id]).name));
      shared = *scale;
    };
    for (NodeId id = 0; id < network.nodes().size(); ++id)
      if (network.node(id).op == models::Operator::input) take(id);
    for (const Row& row : rows)
      take(row.value);
    for (const NodeId owner : owners)
      result.scales.push_back(by_owner[owner]);
  }

  void set_weights(const models::OnnxLayer& layer, QuantizedNetwork& result) {
    const std::optional<NodeId> id = result.network.find(layer.node);
    const NodeProto* const node = maker_of(layer.tensor);
    if (!id || node == nullptr || !models::has_weights(result.network.node(*id).op)) return;
    if (node->op_type() != "Conv" && node->op_type() != "Gemm") {
      if (node->op_type() == "MatMul" || node->op_type() == "Add")
        problem(layer.name, fmt::format("{} with constants; expected Conv, or Gemm with transB 1, with the bias as "
                                        "third operand",
                                        node->op_type()));
      return;
    }
    if (node->op_type() == "Gemm" && !is_plain(*node)) {
      problem(layer.name, "expected transB 1, and alpha and beta 1: weights as [output][input]");
      return;
    }
    const std::string& name = result.network.node(*id).name;
    QuantizedWeights& numbers = result.weights[name];
    const auto weights =
        node->input_size() > 1 ? quantization_.constants.find(node->input(1)) : quantization_.constants.end();
    if (weights == quantization_.constants.end() || weights->second.integers->data_type() != onnx::TensorProto::INT8) {
      problem(layer.name, "its weights are not quantised; expected int8 behind a DequantizeLinear");
      return;
    }
    for (const std::int64_t number : integers_of(*weights->second.integers))
      numbers.weights.push_back(static_cast<std::int8_t>(number));
    const auto filters = static_cast<std::size_t>(result.network.node(*id).output.channels);
    numbers.scales = weights->second.scales;
    if (numbers.scales.size() == 1) numbers.scales.resize(filters, numbers.scales.front());
    if (node->input_size() < 3 || node->input(2).empty()) {
      numbers.bias.resize(filters, 0);
      return;
    }
    const auto bias = quantization_.constants.find(node->input(2));
    if (bias == quantization_.constants.end() || bias->second.integers->data_type() != onnx::TensorProto::INT32) {
      problem(layer.name, "its bias is not quantised; expected int32 behind a DequantizeLinear");
      return;
    }
    for (const std::int64_t number : integers_of(*bias->second.integers))
      numbers.bias.push_back(static_cast<std::int32_t>(number));
    bias_scales_[name] = bias->second.scales;
  }

  static bool is_plain(const NodeProto& gemm) {
    bool transposed = false;
    for (const onnx::AttributeProto& attribute : gemm.attribute()) {
      if (attribute.name() == "transB") transposed = attribute.i() == 1;
      if ((attribute.name() == "alpha" || attribute.name() == "beta") && attribute.f() != 1) return false;
      if (attribute.name() == "transA" && attribute.i() != 0) return false;
    }
    return transposed;
  }

  /// A bias is added to sums of products: it must have their scale.
  void check_bias_scales(const QuantizedNetwork& network) {
    constexpr double tolerance = 1e-5;  // others multiply the scales in float32
    for (const auto& [name, scales] : bias_scales_) {
      const QuantizedWeights& numbers = network.weights.at(name);
      const Node& node = network.network.node(*network.network.find(name));
      const double input = network.scales[node.inputs.front()];
      for (std::size_t k = 0; k < numbers.scales.size(); ++k) {
        const double given = scales.size() == 1 ? scales[0] : scales[k], expected = input * double{numbers.scales[k]};
        if (std::fabs(given - expected) <= tolerance * expected) continue;
        problem(name,
                fmt::format("a scale of {:g} of the bias of filter {}; expected {:g}, the input's times the weights'",
                            given, k, expected));
        break;
      }
    }
  }

  const NodeProto* maker_of(const std::string& tensor) const {
    for (const NodeProto& node : graph_.node())
      if (node.output_size() > 0 && node.output(0) == tensor) return &node;
    return nullptr;
  }

  void problem(const std::string& node, std::string what) {
    const std::optional<NodeId> id = model_.network.find(node);
    problems_.push_back({node, id ? std::string(to_string(model_.network.node(*id).op)) : "", std::move(what)});
  }

  const onnx::GraphProto& graph_;
  const Quantization& quantization_;
  OnnxModel model_;
  std::map<std::string, std::vector<float>> bias_scales_;
  std::vector<OnnxProblem> problems_;
};

}  // namespace

QuantizedNetwork read_quantized_bytes(std::string_view bytes, const std::filesystem::path& name) {
  const std::shared_ptr<const onnx::ModelProto> whole = models::onnx_file::parse(bytes, name);
  onnx::ModelProto plain = *whole;
  std::vector<OnnxProblem> problems;
  const Quantization quantization = take_out(*plain.mutable_graph(), whole->graph(), problems);
  if (quantization.scales.empty() && problems.empty())
    problems.push_back({"", "", "no QuantizeLinear: not a quantised network; `spillway quantize` makes one"});
  if (!problems.empty()) throw OnnxError(name, std::move(problems));
  std::string text;
  plain.SerializeToString(&text);
  OnnxModel model = models::read_onnx_bytes(text, name);
  return Assembly(plain.graph(), quantization, std::move(model)).run(name);
}

QuantizedNetwork read_quantized(const std::filesystem::path& path) {
  std::shared_ptr<const std::span<const char>> bytes;
  try {
    bytes = models::map_file(path);
  } catch (const std::system_error& error) {
    throw OnnxError(path, {{"", "", "cannot be read: " + error.code().message()}});
  }
  return read_quantized_bytes({bytes->data(), bytes->size()}, path);
}

}  // namespace spillway::quantized
