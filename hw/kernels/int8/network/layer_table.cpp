#include "hw/kernels/int8/network/layer_table.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace spillway::int8 {
namespace {

using models::Node;
using models::NodeId;
using models::Operator;
using quantized::QuantizedNetwork;
using quantized::QuantizedWeights;
using quantized::Row;
using quantized::RowFactors;

std::uint16_t small(std::int64_t number) {
  return static_cast<std::uint16_t>(number);
}

std::uint32_t size(std::int64_t number) {
  return static_cast<std::uint32_t>(number);
}

Window window_of(const models::Window& window) {
  return {small(window.kernel_height),   small(window.kernel_width),  small(window.stride_height),
          small(window.stride_width),    small(window.pad_top),       small(window.pad_left),
          small(window.dilation_height), small(window.dilation_width)};
}

Clamp clamp_of(const QuantizedNetwork& network, const Row& row) {
  const quantized::Limits limits = limits_of(row, network.scales[row.value]);
  return {limits.low, limits.high};
}

/// How many elements the windows along an axis can have: in the map, or in the map and its padding.
struct Axis {
  std::int64_t outputs, stride, kernel, dilation, before, extent, after;

  std::set<std::int64_t> counts(bool count_padding) const {
    std::set<std::int64_t> all;
    for (std::int64_t output = 0; output < outputs; ++output) {
      std::int64_t count = 0;
      for (std::int64_t element = 0; element < kernel; ++element) {
        const std::int64_t position = output * stride - before + element * dilation;
        const bool in_map = position >= 0 && position < extent;
        count += in_map || (count_padding && position < extent + after) ? 1 : 0;
      }
      all.insert(count);
    }
    return all;
  }
};

/// The maps that each node's result consists of.
std::vector<std::vector<Feed>> feeds_of(const models::Network& network, std::span<const Row> rows) {
  std::vector<std::vector<Feed>> feeds;
  std::size_t row = 0;
  for (const Node& node : network.nodes()) {
    const Feed own{row, size(node.output.channels), size(node.output.height), size(node.output.width)};
    std::vector<Feed>& all = feeds.emplace_back();
    if (row < rows.size() && feeds.size() - 1 == rows[row].node) {
      all = {own};
      ++row;
    } else if (node.op == Operator::input) {
      all = {{no_row, own.channels, own.height, own.width}};
    } else {
      for (const NodeId input : node.inputs)
        all.insert(all.end(), feeds[input].begin(), feeds[input].end());
    }
  }
  return feeds;
}

/// For each element of a dense layer's input as it lies in memory, the position of its weight in a filter.
std::vector<std::uint32_t> dense_order(std::span<const Feed> feeds) {
  std::vector<std::uint32_t> order;
  std::uint32_t first = 0;
  for (const Feed& feed : feeds) {
    for (std::uint32_t y = 0; y < feed.height; ++y)
      for (std::uint32_t x = 0; x < feed.width; ++x)
        for (std::uint32_t c = 0; c < feed.channels; ++c)
          order.push_back(first + (c * feed.height + y) * feed.width + x);
    first += feed.channels * feed.height * feed.width;
  }
  return order;
}

}  // namespace

Rescale rescale_of(double factor) {
  int exponent = 0;
  const double fraction = std::frexp(factor, &exponent);  // 1/2 to below 1
  auto multiplier = static_cast<std::int64_t>(std::llround(std::ldexp(fraction, 31)));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  return {static_cast<std::int32_t>(multiplier), static_cast<std::uint8_t>(31 - exponent)};
}

LayerTable::LayerTable(const QuantizedNetwork& network) : network_(network) {
  const models::Network& folded = network.network;
  const std::vector<Row> rows = quantized::rows_of(folded);
  const std::vector<std::vector<Feed>> feeds = feeds_of(folded, rows);
  for (NodeId id = 0; id < folded.nodes().size(); ++id) {
    if (folded.node(id).op == Operator::input) {
      input_ = folded.node(id).output;
      input_scale_ = network.scales[id];
    } else if (folded.consumers(id).empty()) {
      outputs_.push_back(feeds[id]);
    }
  }
  for (const Row& row : rows) {
    const Node& node = folded.node(row.node);
    const models::Shape in = folded.input_shape(row.node);
    TableRow made;
    made.row = row;
    made.layer = layer_of(row);
    made.input_channels = size(in.channels);
    made.input_height = size(in.height);
    made.input_width = size(in.width);
    made.channels = size(node.output.channels);
    made.height = size(node.output.height);
    made.width = size(node.output.width);
    for (const NodeId input : node.inputs)
      made.operands.push_back(feeds[input]);
    if (node.op == Operator::dense) made.dense_order = dense_order(made.operands.front());
    if (models::has_weights(node.op)) made.weights = &network.weights.at(node.name);
    made.scale = network.scales[row.value];
    rows_.push_back(std::move(made));
  }
}

const OutputChannel* LayerTable::channels_of(const Row& row, const QuantizedWeights& weights) {
  const RowFactors factors = factors_of(network_, row);
  std::vector<OutputChannel>& channels = channels_.emplace_back();
  for (std::size_t k = 0; k < weights.bias.size(); ++k)
    channels.push_back({weights.bias[k], rescale_of(factors.sums[k])});
  return channels.data();
}

AveragePool LayerTable::average_pool(const Row& row) {
  const Node& node = network_.network.node(row.node);
  const models::Window& window = node.window;
  const models::Shape in = network_.network.input_shape(row.node);
  const Axis vertical{node.output.height,     window.stride_height, window.kernel_height,
                      window.dilation_height, window.pad_top,       in.height,
                      window.pad_bottom};
  const Axis horizontal{node.output.width,     window.stride_width, window.kernel_width,
                        window.dilation_width, window.pad_left,     in.width,
                        window.pad_right};
  const std::set<std::int64_t> rows = vertical.counts(node.count_include_pad);
  const std::set<std::int64_t> columns = horizontal.counts(node.count_include_pad);
  const double factor = factors_of(network_, row).sums.front();
  std::vector<Rescale>& by_count = rescales_.emplace_back();
  if (rows.size() == 1 && columns.size() == 1) {
    by_count.push_back(rescale_of(factor / static_cast<double>(*rows.begin() * *columns.begin())));
  } else {
    for (std::int64_t count = 1; count <= *rows.rbegin() * *columns.rbegin(); ++count)
      by_count.push_back(rescale_of(factor / static_cast<double>(count)));
  }
  return {window_of(window), node.count_include_pad, small(window.pad_bottom), small(window.pad_right),
          by_count,          clamp_of(network_, row)};
}

Layer LayerTable::layer_of(const Row& row) {
  const models::Network& folded = network_.network;
  const Node& node = folded.node(row.node);
  const Clamp clamp = clamp_of(network_, row);
  switch (node.op) {
    case Operator::convolution: {
      const OutputChannel* const channels = channels_of(row, network_.weights.at(node.name));
      const std::int64_t inputs = folded.input_shape(row.node).channels;
      if (folded.is_depthwise(row.node) && node.output.channels == inputs)
        return Depthwise{window_of(node.window), channels, clamp};
      return Convolution{window_of(node.window),
                         size(inputs / node.groups),
                         size(node.output.channels / node.groups),
                         {},
                         channels,
                         clamp};
    }
    case Operator::dense:
      return Dense{size(folded.input_shape(row.node).elements()), channels_of(row, network_.weights.at(node.name)),
                   clamp};
    case Operator::max_pool:
      return MaxPool{window_of(node.window), clamp};
    case Operator::average_pool:
      return average_pool(row);
    default: {
      const RowFactors factors = factors_of(network_, row);
      std::vector<Rescale>& operands = rescales_.emplace_back();
      for (const double factor : factors.operands)
        operands.push_back(rescale_of(factor));
      return Addition{operands, rescale_of(std::ldexp(factors.result, -addition_shift)), clamp};
    }
  }
}

void append_filter(const TableRow& row, std::uint32_t filter, core::Range piece, std::span<const core::Range> parts,
                   std::vector<std::int8_t>& bytes) {
  const std::vector<std::int8_t>& weights = row.weights->weights;
  const std::size_t filter_size = weights.size() / row.channels;
  const std::int8_t* const from = weights.data() + filter * filter_size;
  if (std::holds_alternative<Dense>(row.layer)) {
    for (std::uint32_t i = piece.first; i < piece.last; ++i)
      bytes.push_back(from[row.dense_order[i]]);
    return;
  }
  const Convolution* const convolution = std::get_if<Convolution>(&row.layer);
  if (convolution == nullptr) {
    bytes.insert(bytes.end(), from, from + filter_size);
    return;
  }
  const auto taps = static_cast<std::uint32_t>(filter_size) / convolution->filter_channels;
  const std::uint32_t first = filter / convolution->group_filters * convolution->filter_channels;
  for (const core::Range part : parts) {
    const core::Range channels = core::common(part, {first + piece.first, first + piece.last});
    for (std::uint32_t tap = 0; tap < taps; ++tap)
      for (std::uint32_t c = channels.first; c < channels.last; ++c)
        bytes.push_back(from[(c - first) * taps + tap]);
  }
}

}  // namespace spillway::int8
