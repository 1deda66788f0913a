#include "onnx_builder.hpp"

#include <functional>
#include <map>
#include <numeric>

namespace spillway::models {
namespace {

using onnx::AttributeProto;

void set_type(onnx::ValueInfoProto& value, const std::string& name, int type) {
  value.set_name(name);
  value.mutable_type()->mutable_tensor_type()->set_elem_type(type);
}

void list_as_input(onnx::GraphProto& graph, const onnx::TensorProto& tensor) {
  onnx::ValueInfoProto& input = *graph.add_input();
  set_type(input, tensor.name(), tensor.data_type());
  onnx::TensorShapeProto& shape = *input.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (const std::int64_t extent : tensor.dims())
    shape.add_dim()->set_dim_value(extent);
}

const AttributeProto* find(const onnx::NodeProto& node, const std::string& name) {
  for (const AttributeProto& attribute : node.attribute())
    if (attribute.name() == name) return &attribute;
  return nullptr;
}

void erase(onnx::NodeProto& node, const std::string& name) {
  for (int i = node.attribute_size(); i-- > 0;)
    if (node.attribute(i).name() == name) node.mutable_attribute()->DeleteSubrange(i, 1);
}

/// Rounding up, which operator set 9 does not know, as a stride less one of padding behind: the exporters of the time
/// wrote it so. Where nothing is left over it changes nothing.
void pad_instead_of_rounding_up(onnx::NodeProto& node) {
  const AttributeProto* const rounding = find(node, "ceil_mode");
  if (rounding == nullptr) return;
  if (rounding->i() != 0) {
    const AttributeProto* const strides = find(node, "strides");
    for (AttributeProto& attribute : *node.mutable_attribute())
      if (attribute.name() == "pads")
        for (const int axis : {0, 1})
          attribute.set_ints(2 + axis, attribute.ints(2 + axis) + strides->ints(axis) - 1);
  }
  erase(node, "ceil_mode");
}

}  // namespace

OnnxBuilder::OnnxBuilder(std::int64_t opset, std::int64_t ir) {
  model.set_ir_version(ir);
  onnx::OperatorSetIdProto& set = *model.add_opset_import();
  set.set_domain("");
  set.set_version(opset);
  model.mutable_graph()->set_name("built");
}

OnnxBuilder& OnnxBuilder::input(const std::string& name, const Extents& extents) {
  onnx::ValueInfoProto& value = *model.mutable_graph()->add_input();
  set_type(value, name, onnx::TensorProto::FLOAT);
  onnx::TensorShapeProto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    if (extents[axis] == 0)
      shape.add_dim()->set_dim_param("d" + std::to_string(axis));
    else
      shape.add_dim()->set_dim_value(extents[axis]);
  }
  return *this;
}

OnnxBuilder& OnnxBuilder::output(const std::string& name, int rank) {
  onnx::ValueInfoProto& value = *model.mutable_graph()->add_output();
  set_type(value, name, onnx::TensorProto::FLOAT);
  onnx::TensorShapeProto& shape = *value.mutable_type()->mutable_tensor_type()->mutable_shape();
  for (int axis = 0; axis < rank; ++axis)
    shape.add_dim();
  return *this;
}

OnnxBuilder& OnnxBuilder::ramp(const std::string& name, const Extents& extents) {
  std::vector<float> values(
      static_cast<std::size_t>(std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>())));
  for (std::size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<float>(i);
  return floats(name, extents, values);
}

OnnxBuilder& OnnxBuilder::floats(const std::string& name, const Extents& extents, const std::vector<float>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::FLOAT);
  for (const std::int64_t extent : extents)
    tensor.add_dims(extent);
  tensor.set_raw_data(values.data(), values.size() * sizeof(float));
  if (model.ir_version() < 4) list_as_input(*model.mutable_graph(), tensor);
  return *this;
}

OnnxBuilder& OnnxBuilder::integers(const std::string& name, const std::vector<std::int64_t>& values) {
  onnx::TensorProto& tensor = *model.mutable_graph()->add_initializer();
  tensor.set_name(name);
  tensor.set_data_type(onnx::TensorProto::INT64);
  tensor.add_dims(static_cast<std::int64_t>(values.size()));
  for (const std::int64_t value : values)
    tensor.add_int64_data(value);
  if (model.ir_version() < 4) list_as_input(*model.mutable_graph(), tensor);
  return *this;
}

OnnxBuilder& OnnxBuilder::node(const std::string& type, const std::vector<std::string>& inputs,
                               const std::string& output) {
  onnx::NodeProto& made = *model.mutable_graph()->add_node();
  made.set_name(output);
  made.set_op_type(type);
  for (const std::string& input : inputs)
    made.add_input(input);
  made.add_output(output);
  return *this;
}

AttributeProto& OnnxBuilder::attribute(const std::string& name, AttributeProto::AttributeType type) {
  AttributeProto& made = *last().add_attribute();
  made.set_name(name);
  made.set_type(type);
  return made;
}

OnnxBuilder& OnnxBuilder::set(const std::string& name, std::int64_t value) {
  attribute(name, AttributeProto::INT).set_i(value);
  return *this;
}

OnnxBuilder& OnnxBuilder::set(const std::string& name, float value) {
  attribute(name, AttributeProto::FLOAT).set_f(value);
  return *this;
}

OnnxBuilder& OnnxBuilder::set(const std::string& name, const char* value) {
  attribute(name, AttributeProto::STRING).set_s(value);
  return *this;
}

OnnxBuilder& OnnxBuilder::set(const std::string& name, const Extents& values) {
  AttributeProto& made = attribute(name, AttributeProto::INTS);
  for (const std::int64_t value : values)
    made.add_ints(value);
  return *this;
}

onnx::ModelProto in_older_dialect(const onnx::ModelProto& model) {
  onnx::ModelProto older = model;
  older.set_ir_version(3);
  older.mutable_opset_import(0)->set_version(9);
  onnx::GraphProto& graph = *older.mutable_graph();
  graph.clear_initializer();
  graph.clear_node();
  std::map<std::string, float> numbers;  // single ones: bounds of Clip
  for (const onnx::TensorProto& tensor : model.graph().initializer()) {
    if (tensor.data_type() != onnx::TensorProto::FLOAT) {
      list_as_input(graph, *graph.add_initializer() = tensor);
      continue;
    }
    if (tensor.dims_size() == 0) {
      float number = 0;
      tensor.raw_data().copy(reinterpret_cast<char*>(&number), sizeof number);
      numbers[tensor.name()] = number;
      continue;
    }
    onnx::TensorProto& shape = *graph.add_initializer();
    shape.set_name(tensor.name() + "__SHAPE");
    shape.set_data_type(onnx::TensorProto::INT64);
    shape.add_dims(tensor.dims_size());
    for (const std::int64_t extent : tensor.dims())
      shape.add_int64_data(extent);
    list_as_input(graph, shape);
    onnx::NodeProto& filled = *graph.add_node();
    filled.set_op_type("ConstantOfShape");
    filled.add_input(shape.name());
    filled.add_output(tensor.name());
    AttributeProto& value = *filled.add_attribute();
    value.set_name("value");
    value.set_type(AttributeProto::TENSOR);
    value.mutable_t()->set_data_type(onnx::TensorProto::FLOAT);
    value.mutable_t()->add_dims(1);
    value.mutable_t()->add_float_data(0.02F);
  }
  for (const onnx::NodeProto& node : model.graph().node()) {
    onnx::NodeProto& copy = *graph.add_node() = node;
    pad_instead_of_rounding_up(copy);
    if (node.op_type() != "Clip") continue;
    copy.clear_input();
    copy.add_input(node.input(0));
    for (int bound = 1; bound < node.input_size(); ++bound) {
      AttributeProto& attribute = *copy.add_attribute();
      attribute.set_name(bound == 1 ? "min" : "max");
      attribute.set_type(AttributeProto::FLOAT);
      attribute.set_f(numbers.at(node.input(bound)));
    }
  }
  return older;
}

}  // namespace spillway::models
