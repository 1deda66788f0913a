#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <onnx/onnx_pb.h>

#include "hw/kernels/session/program.hpp"
#include "models/onnx_attributes.hpp"
#include "models/onnx_constants.hpp"

/// From ONNX nodes to steps of a program. Of the room's own.
namespace spillway::kernels::onnx_nodes {

using models::onnx_file::Refusal;
using Extents = std::vector<std::int64_t>;

/// What is known of a value of the graph: an array of the program, or integers that only shape the program.
struct Known {
  ValueId value = no_value;
  Extents extents;
  std::optional<std::vector<std::int64_t>> integers;
};

/// The program as it grows.
struct Graph {
  Program program;
  std::map<std::string, Known> values;
  std::int64_t opset = 0;
  models::onnx_file::Numbers* numbers = nullptr;  ///< of stored tensors
};

/// A constant of the file: an array of the program, or integers. Throws Refusal.
Known known_constant(Graph& graph, const std::string& name, const models::onnx_file::Constant& constant);

/// One node at the moment of its translation. Everything throws Refusal.
class Node {
 public:
  Node(Graph& graph, const onnx::NodeProto& proto, LayerId layer)
      : attributes(proto), graph_(graph), proto_(proto), layer_(layer) {}

  models::onnx_file::Attributes attributes;

  const std::string& type() const { return proto_.op_type(); }
  std::int64_t opset() const { return graph_.opset; }
  LayerId layer() const { return layer_; }
  int inputs() const { return proto_.input_size(); }
  int outputs() const { return proto_.output_size(); }
  bool has(int input) const { return input < inputs() && !proto_.input(input).empty(); }

  /// An input that must be there.
  const Known& known(int input) const;
  /// The same, an array of float32.
  ValueId value(int input) const;
  const Extents& extents(int input) const { return known(input).extents; }
  bool is_integer(int input) const { return known(input).integers.has_value(); }
  /// Integers that are known now.
  const std::vector<std::int64_t>& integers(int input) const;
  /// Numbers that are known now; empty where they are not.
  std::optional<std::span<const float>> numbers(int input) const;
  /// The only number of an input that is known now.
  float number(int input) const;

  /// Makes a constant of the program.
  ValueId constant(Extents extents, std::vector<float> numbers);
  /// The only number of a stored tensor of float32.
  float stored_number(const onnx::TensorProto& tensor);
  /// Defines the first output as a constant of the file.
  void define_stored(const models::onnx_file::Constant& constant);
  /// Appends a step with a result of its own, which no output of the node is.
  ValueId intermediate(Layer layer, std::vector<ValueId> inputs, Extents extents);
  /// Appends a step that makes an output of the node.
  void step(Layer layer, std::vector<ValueId> inputs, Extents extents, int output = 0);
  /// An output that is an input with other extents.
  void view(int input, Extents extents);
  /// An output that is known now.
  void define(Known known, int output = 0);

  /// Refuses a node of which a later output is wanted.
  void only_first_output() const;

 private:
  Graph& graph_;
  const onnx::NodeProto& proto_;
  LayerId layer_;
};

std::int64_t elements_of(std::span<const std::int64_t> extents);
/// Strides of a row-major array.
Extents strides_of(const Extents& extents);
/// The axis counted from the front. Throws Refusal.
std::size_t axis_of(std::int64_t axis, std::size_t rank);
/// Extents of what two arrays make element by element. Throws Refusal.
Extents broadcast(const Extents& a, const Extents& b);
/// Strides with which an array is read for a larger one; empty: it is of those extents.
Extents broadcast_strides(const Extents& from, const Extents& to);

// The translations, by family: onnx_windows.cpp, onnx_products.cpp, onnx_pointwise.cpp, onnx_arrangement.cpp.
void read_convolution(Node& node);
void read_transposed_convolution(Node& node);
void read_pool(Node& node);
void read_global_pool(Node& node);
void read_normalization(Node& node);
void read_instance_normalization(Node& node);
void read_local_response_normalization(Node& node);

void read_gemm(Node& node);
void read_matmul(Node& node);
void read_softmax(Node& node);
void read_reduction(Node& node);

void read_activation(Node& node);
void read_clip(Node& node);
void read_combination(Node& node);
void read_slope(Node& node);

void read_as_it_is(Node& node);
void read_dropout(Node& node);
void read_cast(Node& node);
void read_constant(Node& node);
void read_constant_of_shape(Node& node);
void read_shape(Node& node);
void read_gather(Node& node);
void read_flatten(Node& node);
void read_reshape(Node& node);
void read_squeeze(Node& node);
void read_unsqueeze(Node& node);
void read_transpose(Node& node);
void read_slice(Node& node);
void read_split(Node& node);
void read_expand(Node& node);
void read_concat(Node& node);
void read_pad(Node& node);
void read_depth_and_space(Node& node);
void read_resize(Node& node);

}  // namespace spillway::kernels::onnx_nodes
