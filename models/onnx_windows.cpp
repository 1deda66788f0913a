// Convolution, pooling and the padding before them.
#include <algorithm>
#include <array>
#include <limits>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "models/onnx_translation.hpp"
#include "models/shapes.hpp"

namespace spillway::models::onnx_file {
namespace {

/// Window, stride, dilation or padding: a number for each axis and side.
std::vector<std::int64_t> numbers_of(NodeReader& node, std::string_view name, std::size_t count,
                                     std::int64_t otherwise) {
  const std::optional<std::vector<std::int64_t>> given = node.attributes.integers(name);
  if (!given) return std::vector<std::int64_t>(count, otherwise);
  if (given->size() != count)
    throw Refusal(fmt::format("attribute {} has {} numbers; expected {}", name, given->size(), count));
  // Network refuses what is out of range with a better message; here sums of two must not overflow.
  constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
  for (const std::int64_t number : *given)
    if (number < -most || number > most)
      throw Refusal(fmt::format("attribute {} holds {}; expected at most {}", name, number, most));
  return *given;
}

const Map& window_input(NodeReader& node) {
  const Map& map = node.map(0, true);
  if (map.extents.size() == 4) return map;
  const std::size_t axes = map.extents.size() < 2 ? 0 : map.extents.size() - 2;
  throw Refusal(fmt::format("a window over {} axes, of a map of {}; expected two axes: height and width", axes,
                            text_of(map.extents)));
}

/// Padding before and behind so that the output is the input divided by the stride, rounded up.
std::pair<std::int64_t, std::int64_t> same_padding(std::int64_t extent, std::int64_t span, std::int64_t stride,
                                                   bool more_behind) {
  if (stride < 1) return {0, 0};  // refused by the network
  const std::int64_t positions = (extent + stride - 1) / stride;
  const std::int64_t total = std::max<std::int64_t>((positions - 1) * stride + span - extent, 0);
  const std::int64_t less = total / 2;
  return more_behind ? std::pair(less, total - less) : std::pair(total - less, less);
}

/// Everything but the kernel, which the caller has set, from the node's attributes.
void read_window(NodeReader& node, Window& window, const Map& map) {
  const auto strides = numbers_of(node, "strides", 2, 1);
  const auto dilations = numbers_of(node, "dilations", 2, 1);
  const auto pads = numbers_of(node, "pads", 4, 0);
  window.stride_height = strides[0];
  window.stride_width = strides[1];
  window.dilation_height = dilations[0];
  window.dilation_width = dilations[1];
  window.pad_top = pads[0];
  window.pad_left = pads[1];
  window.pad_bottom = pads[2];
  window.pad_right = pads[3];

  const std::string mode = node.attributes.text("auto_pad").value_or("NOTSET");
  if (mode == "NOTSET") return;
  if (mode != "SAME_UPPER" && mode != "SAME_LOWER" && mode != "VALID")
    throw Refusal(fmt::format("auto_pad is {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", mode));
  if (std::ranges::any_of(pads, [](std::int64_t pad) { return pad != 0; }))
    throw Refusal(fmt::format("both auto_pad {} and pads; expected one of them", mode));
  if (mode == "VALID") return;
  const bool more_behind = mode == "SAME_UPPER";
  std::tie(window.pad_top, window.pad_bottom) =
      same_padding(map.extents[2], window.span_height(), window.stride_height, more_behind);
  std::tie(window.pad_left, window.pad_right) =
      same_padding(map.extents[3], window.span_width(), window.stride_width, more_behind);
}

void set_kernel(Window& window, const std::vector<std::int64_t>& kernel) {
  window.kernel_height = kernel[0];
  window.kernel_width = kernel[1];
}

/// Adds the padding of the Pad before the node to the node's own.
void merge_padding(NodeReader& node, Window& window, const Map& map) {
  if (!map.pad) return;
  window.pad_top += map.pad->top;
  window.pad_left += map.pad->left;
  window.pad_bottom += map.pad->bottom;
  window.pad_right += map.pad->right;
  node.merge(map.pad->name, node.name());
}

bool has_padding(const Window& window) {
  return window.pad_top != 0 || window.pad_left != 0 || window.pad_bottom != 0 || window.pad_right != 0;
}

bool is_never_negative(const Node& node) {
  switch (node.op) {
    case Operator::relu:
    case Operator::relu6:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::softmax:
      return true;
    case Operator::clip:
      return node.minimum >= 0;
    default:
      return false;
  }
}

/// ONNX rounds a pooling's output up without looking where its last window starts.
bool last_window_is_disputed(const Window& window, const Shape& in, const Shape& out) {
  if (!window.ceil_mode) return false;
  const auto rounded_up = [](std::int64_t extent, std::int64_t pads, std::int64_t span, std::int64_t stride) {
    return (extent + pads - span + stride - 1) / stride + 1;
  };
  return out.height !=
             rounded_up(in.height, window.pad_top + window.pad_bottom, window.span_height(), window.stride_height) ||
         out.width !=
             rounded_up(in.width, window.pad_left + window.pad_right, window.span_width(), window.stride_width);
}

/// Whether the last window of a rounded-up axis ends behind the padding.
bool exceeds_padding(const Window& window, const Shape& in, const Shape& out) {
  return (out.height - 1) * window.stride_height + window.span_height() >
             window.pad_top + in.height + window.pad_bottom ||
         (out.width - 1) * window.stride_width + window.span_width() > window.pad_left + in.width + window.pad_right;
}

std::vector<std::int64_t> map_extents(const Shape& shape) {
  return {1, shape.channels, shape.height, shape.width};
}

void add_pool(NodeReader& node, Node pool, const Map& map) {
  const Shape in = node.shape(map);
  const Window window = pool.window;
  // Before it is added, so that a refused node adds nothing.
  const Shape out = infer_shape(pool, std::array{in});
  if (last_window_is_disputed(window, in, out))
    throw Refusal("ceil_mode with a last window that starts in the padding; expected one that starts on the map");
  if (pool.count_include_pad && exceeds_padding(window, in, out))
    throw Refusal(
        "ceil_mode and count_include_pad with a last window that ends behind the padding; expected one of the two");
  node.only_first_output();
  node.define(Map{node.add(std::move(pool)), map_extents(out), std::nullopt});
}

Node pool_node(Operator op, const Map& map) {
  Node pool;
  pool.op = op;
  pool.inputs = {map.node};
  return pool;
}

void read_pool_window(NodeReader& node, Window& window, const Map& map) {
  const auto kernel = node.attributes.integers("kernel_shape");
  if (!kernel || kernel->size() != 2) throw Refusal("attribute kernel_shape; expected height and width");
  set_kernel(window, numbers_of(node, "kernel_shape", 2, 1));
  read_window(node, window, map);
  window.ceil_mode = node.attributes.integer("ceil_mode").value_or(0) != 0;
}

void add_global_pool(NodeReader& node, Operator op, const Map& map, const std::vector<std::int64_t>& extents) {
  Node pool = pool_node(op, map);
  pool.window.kernel_height = map.extents[2];
  pool.window.kernel_width = map.extents[3];
  node.define(Map{node.add(std::move(pool)), extents, std::nullopt});
}

}  // namespace

void read_convolution(NodeReader& node) {
  const Map& map = window_input(node);
  const Constant& filters = node.constant(1);
  if (filters.extents.size() != 4)
    throw Refusal(fmt::format("filters of {}; expected four extents", text_of(filters.extents)));
  if (filters.type != onnx::TensorProto::FLOAT)
    throw Refusal(fmt::format("filters of {}; expected float32", type_name(filters.type)));
  Node convolution = pool_node(Operator::convolution, map);
  convolution.groups = node.attributes.integer("group").value_or(1);
  convolution.output.channels = filters.extents[0];
  const std::vector<std::int64_t> kernel = {filters.extents[2], filters.extents[3]};
  const auto given = node.attributes.integers("kernel_shape");
  if (given && *given != kernel)
    throw Refusal(fmt::format("kernel_shape {} for filters of {}; expected {}", text_of(*given),
                              text_of(filters.extents), text_of(kernel)));
  set_kernel(convolution.window, kernel);
  read_window(node, convolution.window, map);
  const Shape in = node.shape(map);
  if (convolution.groups < 1 || in.channels % convolution.groups != 0 ||
      filters.extents[1] != in.channels / convolution.groups)
    throw Refusal(fmt::format("filters of {} in {} group(s) over {} channels; expected {} channels in a filter",
                              text_of(filters.extents), convolution.groups, in.channels,
                              convolution.groups < 1 ? 0 : in.channels / convolution.groups));
  if (map.pad && map.pad->value != 0)
    throw Refusal(fmt::format("Pad '{}' pads with {}; expected 0 before a convolution", map.pad->name, map.pad->value));
  merge_padding(node, convolution.window, map);

  convolution.bias = node.has(2);
  if (convolution.bias && node.constant(2).extents != std::vector{filters.extents[0]})
    throw Refusal(fmt::format("a bias of {}; expected one number for each of {} filters",
                              text_of(node.constant(2).extents), filters.extents[0]));
  const std::vector<std::int64_t> out = map_extents(infer_shape(convolution, std::array{in}));
  std::optional<NodeReader::BiasAdd> add;
  if (!convolution.bias) add = node.following_bias(out);
  convolution.bias = convolution.bias || add.has_value();
  convolution.dense_weight_bytes = node.dense_weight_bytes();
  const std::int64_t channels = filters.extents[0];
  const Map result{node.add(std::move(convolution)), out, std::nullopt};
  if (node.want_weights()) {
    LayerWeights weights{node.numbers().floats(filters), {}};
    if (add)
      weights.bias = Tensor({channels}, node.expand(add->bias, channels));
    else if (node.has(2))
      weights.bias = node.numbers().floats(node.constant(2));
    node.keep(std::move(weights));
  }
  node.define(result);
  if (add) node.take_over(*add, result);
}

void read_max_pool(NodeReader& node) {
  const Map& map = window_input(node);
  Node pool = pool_node(Operator::max_pool, map);
  read_pool_window(node, pool.window, map);
  node.attributes.without_effect("storage_order");  // of the second output
  if (map.pad) {
    const bool unseen = map.pad->value <= std::numeric_limits<float>::lowest() ||
                        (map.pad->value == 0 && is_never_negative(node.producer(map)));
    if (!unseen)
      throw Refusal(
          fmt::format("Pad '{}' pads with {}; expected minus infinity before a maximum, or 0 where no input "
                      "is negative",
                      map.pad->name, map.pad->value));
    if (pool.window.ceil_mode) throw Refusal("ceil_mode behind a Pad; expected one of the two");
    merge_padding(node, pool.window, map);
  }
  add_pool(node, std::move(pool), map);
}

void read_average_pool(NodeReader& node) {
  const Map& map = window_input(node);
  Node pool = pool_node(Operator::average_pool, map);
  read_pool_window(node, pool.window, map);
  pool.count_include_pad = node.attributes.integer("count_include_pad").value_or(0) != 0;
  if (map.pad) {
    if (map.pad->value != 0)
      throw Refusal(fmt::format("Pad '{}' pads with {}; expected 0 before a mean", map.pad->name, map.pad->value));
    if (has_padding(pool.window) && !pool.count_include_pad)
      throw Refusal("padding of its own that does not count, behind a Pad, which does; expected one of the two");
    if (pool.window.ceil_mode) throw Refusal("ceil_mode behind a Pad; expected one of the two");
    merge_padding(node, pool.window, map);
    pool.count_include_pad = has_padding(pool.window);
  }
  add_pool(node, std::move(pool), map);
}

void read_global_pool(NodeReader& node) {
  const Map& map = node.map(0);
  if (map.extents.size() != 4)
    throw Refusal(fmt::format("a map of {}; expected a batch, channels, height and width", text_of(map.extents)));
  add_global_pool(node, node.proto().op_type() == "GlobalMaxPool" ? Operator::max_pool : Operator::average_pool, map,
                  {1, map.extents[1], 1, 1});
}

void read_reduce_mean(NodeReader& node) {
  const Map& map = node.map(0);
  const bool keep = node.attributes.integer("keepdims").value_or(1) != 0;
  std::vector<std::int64_t> axes = node.attributes.integers("axes").value_or(std::vector<std::int64_t>());
  for (std::int64_t& axis : axes)
    axis = front_axis(axis, map.extents.size());
  std::ranges::sort(axes);
  if (map.extents.size() != 4 || axes != std::vector<std::int64_t>{2, 3})
    throw Refusal(fmt::format("a mean over axes {} of {}; expected axes 2 and 3 of four, which are height and width",
                              axes.empty() ? "all" : fmt::format("{}", fmt::join(axes, ", ")), text_of(map.extents)));
  add_global_pool(
      node, Operator::average_pool, map,
      keep ? std::vector<std::int64_t>{1, map.extents[1], 1, 1} : std::vector<std::int64_t>{1, map.extents[1]});
}

void read_pad(NodeReader& node) {
  const Map& map = node.map(0);
  const std::size_t rank = map.extents.size();
  if (node.attributes.text("mode").value_or("constant") != "constant")
    throw Refusal(fmt::format("mode {}; expected constant", *node.attributes.text("mode")));
  std::vector<std::int64_t> pads;
  float value = 0;
  if (node.opset() < 11) {
    const char* const name = node.opset() < 2 ? "paddings" : "pads";
    pads = node.attributes.integers(name).value_or(std::vector<std::int64_t>());
    value = node.attributes.number("value").value_or(0);
  } else {
    pads = node.numbers().integers(node.constant(1));
    if (node.has(2)) value = node.numbers().number(node.constant(2));
  }
  if (pads.size() != 2 * rank)
    throw Refusal(
        fmt::format("{} numbers of padding for a map of {}; expected {}", pads.size(), text_of(map.extents), 2 * rank));
  Map padded = map;
  for (std::size_t axis = 0; axis < rank; ++axis) {
    const std::int64_t before = pads[axis], behind = pads[axis + rank];
    constexpr std::int64_t most = std::int64_t{1} << 20;
    if (before < 0 || behind < 0 || before > most || behind > most)
      throw Refusal(fmt::format("padding of {} and {} along axis {}; expected 0 to {}", before, behind, axis, most));
    if (axis < 2 && (before != 0 || behind != 0))
      throw Refusal(fmt::format("padding along axis {}; expected it along height and width", axis));
    padded.extents[axis] += before + behind;
  }
  if (padded.extents == map.extents) {
    Node nothing = pool_node(Operator::identity, map);
    node.define(Map{node.add(std::move(nothing)), map.extents, std::nullopt});
    return;
  }
  if (rank != 4) throw Refusal(fmt::format("padding of a map of {}; expected height and width", text_of(map.extents)));
  padded.pad = PendingPad{node.name(), pads[2], pads[3], pads[6], pads[7], value};
  node.define(std::move(padded));
}

}  // namespace spillway::models::onnx_file
