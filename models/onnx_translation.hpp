#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include <onnx/onnx_pb.h>

#include "models/network.hpp"
#include "models/onnx_attributes.hpp"
#include "models/onnx_constants.hpp"
#include "models/onnx_reader.hpp"

/// From a checked ONNX graph to a Network. Of the room's own.
namespace spillway::models::onnx_file {

/// A Pad that waits for the convolution or pooling behind it.
struct PendingPad {
  std::string name;  ///< of the Pad node
  std::int64_t top = 0, left = 0, bottom = 0, right = 0;
  float value = 0;
};

/// A feature map: the output of a node, seen with these extents (the batch of 1 included).
struct Map {
  NodeId node = 0;
  std::vector<std::int64_t> extents;
  std::optional<PendingPad> pad;  ///< extents include it
};

using Value = std::variant<Map, Constant>;

/// A constant with one value, or one for each channel of a map.
struct ChannelConstant {
  const Constant* constant = nullptr;
  std::int64_t channels = 1;
};

/// The network as it grows, and what is known of each value of the graph.
class Translation {
 public:
  Translation(std::shared_ptr<onnx::ModelProto> model, const std::filesystem::path& path,
              const OnnxReadOptions& options);

  /// Translates the whole graph. Throws OnnxError.
  OnnxModel run();

 private:
  friend class NodeReader;

  void name_nodes();
  void add_inputs();
  void read_metadata();
  void translate(int position);
  void bind_outputs();
  void list_layers();
  /// Notes shapes that the file declares, or that libonnx infers, other than ours.
  void check_shapes(std::string_view source);
  void note(int position, std::string what);
  void add_initializers();

  std::shared_ptr<onnx::ModelProto> model_;
  const onnx::GraphProto& graph_;
  std::filesystem::path path_;
  bool want_weights_;
  std::set<std::string> apart_;
  Numbers numbers_;
  OnnxModel result_;
  std::vector<std::string> names_;                   ///< of the nodes
  std::map<std::string, Value> values_;              ///< by the name of the value
  std::map<std::string, std::vector<int>> readers_;  ///< nodes by the value that they read; -1: the graph's output
  std::set<std::string> dense_weight_bytes_;         ///< convolutions that the metadata names
  std::vector<bool> done_;                           ///< nodes that an earlier one has taken over
  std::vector<OnnxProblem> problems_;
};

/// One ONNX node at the moment of its translation. Everything throws Refusal.
class NodeReader {
 public:
  NodeReader(Translation& translation, int position);

  const onnx::NodeProto& proto() const { return proto_; }
  const std::string& name() const { return name_; }
  std::int64_t opset() const { return translation_.result_.opset; }
  bool want_weights() const { return translation_.want_weights_; }
  Numbers& numbers() { return translation_.numbers_; }

  Attributes attributes;

  int inputs() const { return proto_.input_size(); }
  bool has(int input) const { return input < inputs() && !proto_.input(input).empty(); }
  bool is_constant(int input) const;

  /// An input that must be a feature map (or a constant). A padded one only where the caller merges the padding.
  const Map& map(int input, bool merges_padding = false) const;
  const Constant& constant(int input) const;
  Shape shape(const Map& map) const { return translation_.result_.network.node(map.node).output; }
  const Node& producer(const Map& map) const { return translation_.result_.network.node(map.node); }

  /// Appends a node of this node's name; its inputs, operator and attributes are set. Returns its position.
  NodeId add(Node node);

  /// What the first output is.
  void define(Value value);

  /// Refuses a node of which more than the first output is read.
  void only_first_output() const;

  /// Whether the file's metadata asks for Node::dense_weight_bytes.
  bool dense_weight_bytes() { return translation_.dense_weight_bytes_.erase(name_) > 0; }

  /// Keeps the numbers of the node just added (where they were asked for).
  void keep(LayerWeights weights);

  /// Notes that another node does the work of this one, or this one that of a Pad.
  void merge(const std::string& name, const std::string& into);

  /// Of a constant that is to be combined with a map element by element: what it means for the map's channels.
  /// `axis`: where its extents begin (operator sets below 7); otherwise they end with the map's.
  ChannelConstant per_channel(const Constant& constant, const std::vector<std::int64_t>& map_extents,
                              std::optional<std::int64_t> axis = std::nullopt) const;

  /// Where the extents of a constant operand of Add, Mul, Sub or Div begin, in operator sets below 7, whose attributes
  /// `axis` and `broadcast` say so; empty in later ones.
  std::optional<std::int64_t> operand_axis(const Constant& constant, const std::vector<std::int64_t>& map_extents);

  /// The numbers of it, one for each of `channels`.
  std::vector<float> expand(const ChannelConstant& constant, std::int64_t channels);

  /// The Add of a constant per channel that alone reads this node's output: it becomes the bias, is marked as done, and
  /// its output is to be defined with define_also(). Empty when there is none.
  struct BiasAdd {
    int position = 0;
    ChannelConstant bias;
  };
  std::optional<BiasAdd> following_bias(const std::vector<std::int64_t>& extents);
  void take_over(const BiasAdd& add, const Map& value);

 private:
  const Value& value(int input) const;

  Translation& translation_;
  const onnx::NodeProto& proto_;
  std::string name_;
};

/// Shape of a map of these extents: the batch left out; two extents beyond it are channels and width. Throws Refusal
/// unless the batch is 1.
Shape shape_of(const std::vector<std::int64_t>& extents);

/// The axis counted from the front. Throws Refusal outside -rank to rank - 1.
std::int64_t front_axis(std::int64_t axis, std::size_t rank);

/// How an ONNX operator is translated.
struct Translator {
  OnnxOperator description;
  void (*translate)(NodeReader& node);
};

/// All of them, sorted by type.
std::span<const Translator> translators();

/// The one for a node; null for a type or a domain that is not supported.
const Translator* translator_of(const onnx::NodeProto& node);

// The translations, by family: onnx_windows.cpp, onnx_dense.cpp, onnx_elementwise.cpp, onnx_shapes.cpp.
void read_convolution(NodeReader& node);
void read_max_pool(NodeReader& node);
void read_average_pool(NodeReader& node);
void read_global_pool(NodeReader& node);
void read_reduce_mean(NodeReader& node);
void read_pad(NodeReader& node);

void read_gemm(NodeReader& node);
void read_matmul(NodeReader& node);
void read_batch_normalization(NodeReader& node);

void read_sum_or_product(NodeReader& node);
void read_difference_or_quotient(NodeReader& node);
void read_activation(NodeReader& node);
void read_clip(NodeReader& node);
void read_softmax(NodeReader& node);
void read_dropout(NodeReader& node);
void read_local_response_normalization(NodeReader& node);
void read_concat(NodeReader& node);

void read_identity(NodeReader& node);
void read_flatten(NodeReader& node);
void read_reshape(NodeReader& node);
void read_squeeze(NodeReader& node);
void read_unsqueeze(NodeReader& node);
void read_transpose(NodeReader& node);

void read_constant(NodeReader& node);
void read_constant_of_shape(NodeReader& node);
void read_shape(NodeReader& node);
void read_gather(NodeReader& node);
void read_cast(NodeReader& node);

}  // namespace spillway::models::onnx_file
