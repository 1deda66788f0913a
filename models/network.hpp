#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

/// The network that is computed: a directed acyclic graph of operators with exact shapes.
namespace spillway::models {

/// Number format of weights and feature maps.
enum class ElementType : std::uint8_t { int8, float32 };

/// Bytes of one element: 1 or 4.
std::int64_t bytes_of(ElementType type);

/// What a node computes.
enum class Operator : std::uint8_t {
  input,        ///< the network's input; has no inputs of its own
  convolution,  ///< grouped and dilated included; depthwise where groups == input channels
  dense,        ///< fully connected over the flattened input
  max_pool,
  average_pool,                  ///< a global average pool is one whose window is the whole map
  add,                           ///< element-wise; an input of one value per channel counts for the whole map
  multiply,                      ///< as add
  concat,                        ///< along the channels, in the order of the inputs
  batch_normalization,           ///< a scale and a shift per channel
  local_response_normalization,  ///< across channels
  relu,
  relu6,
  leaky_relu,
  clip,
  sigmoid,
  hard_sigmoid,
  hard_swish,
  tanh,
  softmax,    ///< over the channels of each position
  dropout,    ///< the identity at inference
  identity,   ///< its input
  flatten,    ///< shape only
  reshape,    ///< shape only
  transpose,  ///< data in another order: channels shuffled, or axes exchanged
};

/// Every operator, in the order of the enumeration.
std::span<const Operator> all_operators();

/// Shape of one feature map of one frame: channels x height x width. A vector has height = width = 1.
struct Shape {
  std::int64_t channels = 0;
  std::int64_t height = 1;
  std::int64_t width = 1;

  std::int64_t elements() const { return channels * height * width; }
  friend bool operator==(const Shape&, const Shape&) = default;
};

/// Sliding window of a convolution or pooling, in elements.
struct Window {
  std::int64_t kernel_height = 1, kernel_width = 1;
  std::int64_t stride_height = 1, stride_width = 1;
  std::int64_t pad_top = 0, pad_left = 0, pad_bottom = 0, pad_right = 0;
  std::int64_t dilation_height = 1, dilation_width = 1;
  /// Round the output size up instead of down (pooling). A last window that would start behind the map and its
  /// leading padding is left out, as PyTorch does.
  bool ceil_mode = false;

  /// Rows and columns from the first to the last element of the kernel, the gaps of dilation included.
  std::int64_t span_height() const { return (kernel_height - 1) * dilation_height + 1; }
  std::int64_t span_width() const { return (kernel_width - 1) * dilation_width + 1; }

  friend bool operator==(const Window&, const Window&) = default;
};

/// Position of a node in Network::nodes().
using NodeId = std::size_t;

/// One operator with its attributes. Attributes that the operator does not have keep their defaults.
struct Node {
  std::string name;
  Operator op = Operator::input;
  std::vector<NodeId> inputs;  ///< producers, each before this node
  Window window;               ///< convolution and pooling
  std::int64_t groups = 1;     ///< convolution
  bool bias = false;           ///< convolution and dense
  /// Count and charge the weights of a depthwise convolution as if groups were 1 (k x k x C x C). The published
  /// SwapNN counts of MobileNet rest on this; MACs stay true.
  bool dense_weight_bytes = false;
  /// Average pooling: elements of the padding count in the mean.
  bool count_include_pad = false;
  std::int64_t normalization_size = 1;  ///< local response normalization: channels of the window
  /// Local response normalization: x / (bias + alpha / size * sum of squares in the window) ^ beta.
  float normalization_alpha = 1e-4F, normalization_beta = 0.75F, normalization_bias = 1;
  float slope = 0;   ///< leaky relu below zero; hard sigmoid: clip(slope x + offset, 0, 1)
  float offset = 0;  ///< hard sigmoid
  float minimum = -std::numeric_limits<float>::infinity();  ///< clip
  float maximum = std::numeric_limits<float>::infinity();   ///< clip
  /// Transpose: the axis (0 channels, 1 height, 2 width) of the input that becomes axis i of the output.
  std::array<std::uint8_t, 3> permutation = {0, 1, 2};
  Shape output;  ///< result of shape inference

  friend bool operator==(const Node&, const Node&) = default;
};

/// A network that cannot be: a shape that does not fit, an unknown input, a name used twice.
class NetworkError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A network: nodes in topological order (each after its inputs), with shapes inferred as they are added.
class Network {
 public:
  /// Throws NetworkError when the name is empty.
  explicit Network(std::string name);

  const std::string& name() const { return name_; }
  const std::vector<Node>& nodes() const { return nodes_; }
  const Node& node(NodeId id) const { return nodes_.at(id); }

  /// The node of that name.
  std::optional<NodeId> find(std::string_view name) const;

  /// Appends a node, infers `output` and returns its position. For an input the caller sets `output`; for a
  /// convolution and a dense layer `output.channels` gives the number of filters; a reshape gives its whole output;
  /// elsewhere what the caller left in `output` is overwritten.
  /// Throws NetworkError, naming the node, when the name is taken, an input does not exist, shapes do not fit, a count
  /// exceeds 2^48, or an attribute is set that the operator does not have. The network is then unchanged.
  NodeId add(Node node);

  /// Nodes that read the output of `id`, in order, each once.
  std::vector<NodeId> consumers(NodeId id) const;

  /// Shape of the input that a node reads; for a concat the concatenated one, for an element-wise one the first
  /// operand, for a dense layer the one before flattening, for an input node its own.
  Shape input_shape(NodeId id) const;

  /// True for a convolution whose groups equal its input channels (and are more than one).
  bool is_depthwise(NodeId id) const;

  /// Multiply-accumulates of one frame; 0 for operators without weights and for batch normalization, which is folded
  /// into its convolution.
  std::int64_t macs(NodeId id) const;

  /// Number of weights without bias; dense_weight_bytes counts as described there.
  std::int64_t weights(NodeId id) const;

  /// Biases, or scale and shift of a normalization.
  std::int64_t biases(NodeId id) const;

  /// Bytes of the weights without bias.
  std::int64_t weight_bytes(NodeId id, ElementType type) const { return weights(id) * bytes_of(type); }

  /// Bytes of the node's output for one frame.
  std::int64_t feature_map_bytes(NodeId id, ElementType type) const {
    return node(id).output.elements() * bytes_of(type);
  }

  std::int64_t total_macs() const;
  std::int64_t total_weights() const;
  std::int64_t total_biases() const;

 private:
  std::string name_;
  std::vector<Node> nodes_;
};

/// The operator's name as used in tables and errors: `convolution`, `max_pool`, ...
std::string_view to_string(Operator op);
std::string_view to_string(ElementType type);

/// `channels x height x width` as used in tables and errors: `64x112x112`.
std::string to_string(const Shape& shape);

}  // namespace spillway::models
