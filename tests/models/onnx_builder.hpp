#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace spillway::models {

/// Builds small ONNX models in code, right or wrong ones.
class OnnxBuilder {
 public:
  using Extents = std::vector<std::int64_t>;

  explicit OnnxBuilder(std::int64_t opset = 13, std::int64_t ir = 7);

  /// A float32 input. An extent of 0 becomes a dimension without a value, called `d<axis>`.
  OnnxBuilder& input(const std::string& name, const Extents& extents);
  /// A float32 output with so many extents, which are not said.
  OnnxBuilder& output(const std::string& name, int rank = 4);
  /// An initializer of the numbers 0, 1, 2, ...
  OnnxBuilder& ramp(const std::string& name, const Extents& extents);
  OnnxBuilder& floats(const std::string& name, const Extents& extents, const std::vector<float>& values);
  OnnxBuilder& integers(const std::string& name, const std::vector<std::int64_t>& values);
  /// A node called as its first output; set attributes of it next.
  OnnxBuilder& node(const std::string& type, const std::vector<std::string>& inputs, const std::string& output);

  OnnxBuilder& set(const std::string& name, std::int64_t value);
  OnnxBuilder& set(const std::string& name, int value) { return set(name, std::int64_t{value}); }
  OnnxBuilder& set(const std::string& name, float value);
  OnnxBuilder& set(const std::string& name, const char* value);
  OnnxBuilder& set(const std::string& name, const Extents& values);

  onnx::NodeProto& last() { return *model.mutable_graph()->mutable_node(model.graph().node_size() - 1); }
  onnx::TensorProto& last_initializer() {
    return *model.mutable_graph()->mutable_initializer(model.graph().initializer_size() - 1);
  }

  std::string bytes() const { return model.SerializeAsString(); }

  onnx::ModelProto model;

 private:
  onnx::AttributeProto& attribute(const std::string& name, onnx::AttributeProto::AttributeType type);
};

/// The same model as exporters of 2018 wrote it: operator set 9, IR version 3, every initializer listed among the
/// inputs, weights made by ConstantOfShape nodes, bounds of Clip as attributes, rounding up by padding.
onnx::ModelProto in_older_dialect(const onnx::ModelProto& model);

}  // namespace spillway::models
