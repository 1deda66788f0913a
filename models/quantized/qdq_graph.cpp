#include "models/quantized/qdq_graph.hpp"

#include <cstring>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "models/onnx_constants.hpp"

namespace spillway::quantized {
namespace {

using models::onnx_file::Refusal;
using models::onnx_file::type_name;
using onnx::GraphProto;
using onnx::NodeProto;
using onnx::TensorProto;

std::vector<float> floats_of(const TensorProto& tensor) {
  if (!tensor.has_raw_data()) return {tensor.float_data().begin(), tensor.float_data().end()};
  std::vector<float> numbers(tensor.raw_data().size() / sizeof(float));
  std::memcpy(numbers.data(), tensor.raw_data().data(), numbers.size() * sizeof(float));
  return numbers;
}

class Removal {
 public:
  Removal(GraphProto& graph, const GraphProto& kept, std::vector<models::OnnxProblem>& problems)
      : graph_(graph), kept_(kept), problems_(problems) {
    for (const TensorProto& tensor : kept.initializer())
      constants_.emplace(tensor.name(), &tensor);
  }

  Quantization run() {
    graph_.clear_node();
    for (const NodeProto& node : kept_.node())
      try {
        add(node);
      } catch (const Refusal& refusal) {
        problems_.push_back({node.name(), node.op_type(), refusal.what()});
      }
    for (onnx::ValueInfoProto& output : *graph_.mutable_output())
      output.set_name(exact(output.name()));
    keep_initializers();
    return std::move(result_);
  }

 private:
  void add(const NodeProto& node) {
    const bool is_default = node.domain().empty() || node.domain() == "ai.onnx";
    if (is_default && node.op_type() == "QuantizeLinear") return quantize(node);
    if (is_default && node.op_type() == "DequantizeLinear") return dequantize(node);
    NodeProto& kept = *graph_.add_node();
    kept = node;
    for (std::string& input : *kept.mutable_input())
      input = exact(input);
  }

  void quantize(const NodeProto& node) {
    const float scale = single_scale(node);
    if (node.input_size() < 3 || node.input(2).empty())
      throw Refusal("no zero point, which makes uint8; expected an int8 zero point of 0");
    check_zero_point(node, TensorProto::INT8);
    const std::string value = exact(node.input(0));
    const auto [place, is_new] = result_.scales.emplace(value, scale);
    if (!is_new && place->second != scale)
      throw Refusal(fmt::format("a scale of {} for '{}', which has {} already; expected one scale for a map", scale,
                                value, place->second));
    quantized_.emplace(node.output(0), value);
  }

  void dequantize(const NodeProto& node) {
    if (node.output_size() != 1 || node.input_size() < 2) throw Refusal("expected a value, a scale and one output");
    const auto map = quantized_.find(node.input(0));
    if (map == quantized_.end()) return dequantize_constant(node);
    if (const float scale = single_scale(node); scale != result_.scales.at(map->second))
      throw Refusal(fmt::format("a scale of {} behind a QuantizeLinear of {}; expected the same", scale,
                                result_.scales.at(map->second)));
    check_zero_point(node, TensorProto::INT8);
    exact_.emplace(node.output(0), map->second);
  }

  void dequantize_constant(const NodeProto& node) {
    const auto found = constants_.find(node.input(0));
    if (found == constants_.end())
      throw Refusal(fmt::format("'{}' is neither a constant nor made by a QuantizeLinear before", node.input(0)));
    const TensorProto& integers = *found->second;
    if (integers.data_type() != TensorProto::INT8 && integers.data_type() != TensorProto::INT32)
      throw Refusal(
          fmt::format("a constant of {}; expected int8 weights or int32 biases", type_name(integers.data_type())));
    check_stored(integers);
    check_zero_point(node, integers.data_type());
    std::vector<float> scales = floats_of(constant(node.input(1), TensorProto::FLOAT));
    const bool by_filter = integers.dims_size() > 0 && scales.size() == static_cast<std::size_t>(integers.dims(0));
    if (scales.size() != 1 && !by_filter)
      throw Refusal(fmt::format("{} scales; expected one, or one for each filter", scales.size()));
    if (scales.size() != 1 && axis_of(node) != 0)
      throw Refusal(fmt::format("scales along axis {}; expected 0, one for each filter", axis_of(node)));
    result_.constants.emplace(node.output(0), QuantizedConstant{&integers, std::move(scales)});
    stand_in(node, integers);
  }

  /// A constant of the same shape.
  void stand_in(const NodeProto& node, const TensorProto& integers) {
    std::string name = node.output(0) + ".shape";
    while (constants_.contains(name) || !shapes_.insert(name).second)
      name += '_';
    TensorProto& shape = *graph_.add_initializer();
    shape.set_name(name);
    shape.set_data_type(TensorProto::INT64);
    shape.add_dims(integers.dims_size());
    for (const std::int64_t extent : integers.dims())
      shape.add_int64_data(extent);
    NodeProto& made = *graph_.add_node();
    made.set_name(node.name());
    made.set_op_type("ConstantOfShape");
    made.add_input(name);
    made.add_output(node.output(0));
  }

  static std::int64_t axis_of(const NodeProto& node) {
    for (const onnx::AttributeProto& attribute : node.attribute())
      if (attribute.name() == "axis") return attribute.i();
    return 1;
  }

  const TensorProto& constant(const std::string& name, int type) const {
    const auto found = constants_.find(name);
    if (found == constants_.end()) throw Refusal(fmt::format("'{}' is no constant; expected one", name));
    if (found->second->data_type() != type)
      throw Refusal(
          fmt::format("'{}' is {}; expected {}", name, type_name(found->second->data_type()), type_name(type)));
    check_stored(*found->second);
    return *found->second;
  }

  static void check_stored(const TensorProto& tensor) {
    if (tensor.data_location() == TensorProto::EXTERNAL)
      throw Refusal(fmt::format("'{}' is external data; expected it in the file", tensor.name()));
    models::onnx_file::check_tensor(tensor, {});
  }

  float single_scale(const NodeProto& node) const {
    if (node.output_size() != 1 || node.input_size() < 2) throw Refusal("expected a value, a scale and one output");
    const std::vector<float> scales = floats_of(constant(node.input(1), TensorProto::FLOAT));
    if (scales.size() != 1) throw Refusal(fmt::format("{} scales; expected one for a map", scales.size()));
    return scales.front();
  }

  void check_zero_point(const NodeProto& node, int type) const {
    if (node.input_size() < 3 || node.input(2).empty()) return;
    const TensorProto& zero = constant(node.input(2), type);
    for (const std::int64_t number : integers_of(zero))
      if (number != 0) throw Refusal(fmt::format("a zero point of {}; expected 0, as all is symmetric", number));
  }

  /// The float32 value that a dequantised one stands for.
  const std::string& exact(const std::string& name) const {
    const auto found = exact_.find(name);
    return found == exact_.end() ? name : found->second;
  }

  /// Of the file's own constants those that what is left reads.
  void keep_initializers() {
    std::set<std::string> read;
    for (const NodeProto& node : graph_.node())
      read.insert(node.input().begin(), node.input().end());
    for (const onnx::ValueInfoProto& output : graph_.output())
      read.insert(output.name());
    std::vector<TensorProto> left;
    for (TensorProto& tensor : *graph_.mutable_initializer())
      if (read.contains(tensor.name())) left.push_back(std::move(tensor));
    graph_.clear_initializer();
    for (TensorProto& tensor : left)
      *graph_.add_initializer() = std::move(tensor);
  }

  GraphProto& graph_;
  const GraphProto& kept_;
  std::vector<models::OnnxProblem>& problems_;
  std::map<std::string, const TensorProto*> constants_;
  std::set<std::string> shapes_;
  std::map<std::string, std::string> quantized_;  ///< by the int8 value: the float32 value it was made of
  std::map<std::string, std::string> exact_;      ///< by the dequantised value: the same
  Quantization result_;
};

}  // namespace

Quantization take_out(GraphProto& graph, const GraphProto& kept, std::vector<models::OnnxProblem>& problems) {
  return Removal(graph, kept, problems).run();
}

std::vector<std::int64_t> integers_of(const TensorProto& tensor) {
  std::vector<std::int64_t> numbers;
  if (!tensor.has_raw_data()) return {tensor.int32_data().begin(), tensor.int32_data().end()};
  const std::string& bytes = tensor.raw_data();
  if (tensor.data_type() == TensorProto::INT8) {
    for (const char byte : bytes)
      numbers.push_back(static_cast<signed char>(byte));
    return numbers;
  }
  for (std::size_t at = 0; at + sizeof(std::int32_t) <= bytes.size(); at += sizeof(std::int32_t)) {
    std::int32_t number = 0;
    std::memcpy(&number, bytes.data() + at, sizeof(number));
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace spillway::quantized
