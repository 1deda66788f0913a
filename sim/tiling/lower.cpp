#include "sim/tiling/lower.hpp"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "sim/tiling/swap_plan.hpp"

namespace spillway::tiling {
namespace {

using models::Network;
using models::Node;
using models::NodeId;
using models::Operator;
using models::Shape;

/// Channels of a stored map that a node's output consists of. A node's output is the list of its feeds, channel after
/// channel.
struct Feed {
  core::LayerIndex producer = core::network_input;
  std::uint32_t first_channel = 0, channels = 0;
  std::int64_t height = 1, width = 1;  ///< of the map
  bool pooled = false;                 ///< seen through a pooling without a task: sizes are not the producer's
  bool permuted = false;               ///< seen through a transpose: any element may lie in any tile of the producer
};
using Feeds = std::vector<Feed>;

enum class Role { source, layer, fused, view };

Role role_of(Operator op, Lowering lowering) {
  switch (op) {
    case Operator::input:
      return Role::source;
    case Operator::convolution:
    case Operator::dense:
      return Role::layer;
    case Operator::max_pool:
    case Operator::average_pool:
    case Operator::add:
    case Operator::multiply:
    case Operator::local_response_normalization:
      return lowering == Lowering::all ? Role::layer : Role::fused;
    case Operator::concat:
    case Operator::flatten:
    case Operator::reshape:
    case Operator::transpose:
      return Role::view;
    case Operator::batch_normalization:
    case Operator::relu:
    case Operator::relu6:
    case Operator::leaky_relu:
    case Operator::clip:
    case Operator::sigmoid:
    case Operator::hard_sigmoid:
    case Operator::hard_swish:
    case Operator::tanh:
    case Operator::softmax:
    case Operator::dropout:
    case Operator::identity:
      return Role::fused;
  }
  return Role::layer;
}

class Lowerer {
 public:
  Lowerer(const Network& network, Lowering lowering) : network_(network), lowering_(lowering) {}

  std::vector<SwapLayer> run() {
    for (NodeId id = 0; id < network_.nodes().size(); ++id)
      feeds_.push_back(feeds_of(id));
    if (layers_.empty()) throw Unsupported(fmt::format("network `{}` has no operator to compute", network_.name()));
    return std::move(layers_);
  }

 private:
  Feeds feeds_of(NodeId id) {
    const Node& node = network_.node(id);
    switch (role_of(node.op, lowering_)) {
      case Role::source:
        return input(node);
      case Role::layer:
        return stored(add_layer(id));
      case Role::fused:
        return fused(node);
      case Role::view:
        break;
    }
    Feeds all;
    for (const NodeId producer : node.inputs)
      all.insert(all.end(), feeds_[producer].begin(), feeds_[producer].end());
    if (node.op == Operator::transpose) permute(node, all);
    return all;
  }

  static void permute(const Node& node, Feeds& feeds) {
    if (feeds.size() > 1) {
      throw Unsupported(
          fmt::format("`{}` transposes maps of {} layers at once: expected one", node.name, feeds.size()));
    }
    feeds.front().permuted = true;
  }

  Feeds input(const Node& node) {
    if (has_input_) {
      throw Unsupported(
          fmt::format("`{}` is a second input of network `{}`: a swapped network has one", node.name, network_.name()));
    }
    has_input_ = true;
    return {{core::network_input, 0, size(node, node.output.channels), node.output.height, node.output.width}};
  }

  Feeds stored(const SwapLayer& layer) const {
    return {{static_cast<core::LayerIndex>(layers_.size() - 1), 0, layer.channels, layer.height, layer.width}};
  }

  /// Where an operator of several inputs makes no task (Lowering::weights_only), its readers wait for the input that is
  /// produced last.
  Feeds fused(const Node& node) const {
    const auto last_row = [this](NodeId id) {
      int row = -1;
      for (const Feed& feed : feeds_[id]) {
        if (feed.producer != core::network_input) row = std::max(row, int{feed.producer});
      }
      return row;
    };
    const NodeId last = *std::max_element(node.inputs.begin(), node.inputs.end(),
                                          [&](NodeId a, NodeId b) { return last_row(a) < last_row(b); });
    Feeds feeds = feeds_[last];
    if (node.op == Operator::max_pool || node.op == Operator::average_pool) {
      for (Feed& feed : feeds) {
        feed.height = node.output.height;
        feed.width = node.output.width;
        feed.pooled = true;
      }
    }
    return feeds;
  }

  const SwapLayer& add_layer(NodeId id) {
    const Node& node = network_.node(id);
    if (layers_.size() == core::network_input) {
      throw Unsupported(fmt::format("network `{}` has more than {} layers", network_.name(), layers_.size()));
    }
    SwapLayer layer;
    layer.node = id;
    layer.name = node.name;
    set_shapes(layer, id);
    set_operator(layer, id);
    set_sources(layer, node);
    layers_.push_back(std::move(layer));
    return layers_.back();
  }

  void set_shapes(SwapLayer& layer, NodeId id) const {
    const Node& node = network_.node(id);
    const Shape in = network_.input_shape(id);
    layer.flattened = node.op == Operator::dense;
    if (layer.flattened) {
      layer.input_channels = size(node, in.elements());
    } else {
      layer.input_channels = size(node, in.channels);
      layer.input_height = size(node, in.height);
      layer.input_width = size(node, in.width);
    }
    layer.channels = size(node, node.output.channels);
    layer.height = size(node, node.output.height);
    layer.width = size(node, node.output.width);
  }

  void set_operator(SwapLayer& layer, NodeId id) const {
    const Node& node = network_.node(id);
    switch (node.op) {
      case Operator::convolution: {
        set_window(layer, node);
        layer.filter_channels = layer.input_channels / size(node, node.groups);
        layer.published_filter_channels = node.dense_weight_bytes ? layer.input_channels : layer.filter_channels;
        const bool pointwise = layer.kernel_elements == 1;
        const bool depthwise = network_.is_depthwise(id);
        layer.channelwise = depthwise && layer.channels == layer.input_channels;
        layer.work_class = depthwise   ? core::WorkClass::depthwise
                           : pointwise ? core::WorkClass::pointwise
                                       : core::WorkClass::convolution;
        layer.filter_work = size(node, std::int64_t{layer.filter_channels} * layer.kernel_elements);
        return;
      }
      case Operator::dense:
        layer.work_class = core::WorkClass::dense;
        layer.filter_channels = layer.published_filter_channels = layer.filter_work = layer.input_channels;
        return;
      case Operator::max_pool:
      case Operator::average_pool:
        set_window(layer, node);
        layer.channelwise = true;
        layer.work_class = core::WorkClass::pooling;
        layer.filter_work = layer.kernel_elements;
        return;
      case Operator::local_response_normalization:
        layer.channelwise = true;
        layer.channel_halo = size(node, node.normalization_size / 2);
        layer.work_class = core::WorkClass::pooling;
        layer.filter_work = 1;
        return;
      default:
        layer.channelwise = true;
        layer.operands = size(node, static_cast<std::int64_t>(node.inputs.size()));
        layer.work_class = core::WorkClass::elementwise;
        layer.filter_work = layer.operands;
        return;
    }
  }

  static void set_window(SwapLayer& layer, const Node& node) {
    const models::Window& window = node.window;
    layer.kernel_elements = size(node, window.kernel_height * window.kernel_width);
    layer.kernel_height = small(node, (window.kernel_height - 1) * window.dilation_height + 1);
    layer.kernel_width = small(node, (window.kernel_width - 1) * window.dilation_width + 1);
    layer.stride_height = layer.height == 1 ? 1 : small(node, window.stride_height);
    layer.stride_width = layer.width == 1 ? 1 : small(node, window.stride_width);
    layer.pad_top = small(node, window.pad_top);
    layer.pad_left = small(node, window.pad_left);
    layer.pad_bottom = small(node, window.pad_bottom);
    layer.pad_right = small(node, window.pad_right);
  }

  void set_sources(SwapLayer& layer, const Node& node) const {
    for (const NodeId operand : node.inputs) {
      std::uint32_t channel = 0;
      for (const Feed& feed : feeds_[operand]) {
        const std::int64_t scale = layer.flattened ? feed.height * feed.width : 1;
        if (!layer.flattened && (feed.height != layer.input_height || feed.width != layer.input_width)) {
          throw Unsupported(fmt::format(
              "`{}` reads a map of {} x {} as one of {} x {}: only a dense layer can read a map in another shape",
              node.name, feed.height, feed.width, layer.input_height, layer.input_width));
        }
        const std::uint32_t channels = size(node, feed.channels * scale);
        layer.waits_for_all = layer.waits_for_all || feed.pooled || feed.permuted;
        layer.sources.push_back({channel, channels, size(node, feed.first_channel * scale), feed.producer});
        channel += channels;
      }
    }
  }

  static std::uint32_t size(const Node& node, std::int64_t value) {
    if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
      throw Unsupported(fmt::format("`{}` has a size of {}: expected 0 to 2147483647", node.name, value));
    }
    return static_cast<std::uint32_t>(value);
  }

  static std::uint32_t small(const Node& node, std::int64_t value) {
    if (value < 0 || value > std::numeric_limits<std::uint16_t>::max()) {
      throw Unsupported(
          fmt::format("`{}` has a window size, stride or pad of {}: expected 0 to 65535", node.name, value));
    }
    return static_cast<std::uint32_t>(value);
  }

  const Network& network_;
  Lowering lowering_;
  bool has_input_ = false;
  std::vector<Feeds> feeds_;
  std::vector<SwapLayer> layers_;
};

}  // namespace

std::vector<SwapLayer> lower(const models::Network& network, Lowering lowering) {
  return Lowerer(network, lowering).run();
}

}  // namespace spillway::tiling
