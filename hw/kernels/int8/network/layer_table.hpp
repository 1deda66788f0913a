#pragma once

#include <cstdint>
#include <deque>
#include <span>
#include <variant>
#include <vector>

#include "hw/kernels/int8/layers.hpp"
#include "models/quantized/quantized_network.hpp"

/// Quantised networks as the kernels take them. Hosted: microcontrollers get the tables as constants.
namespace spillway::int8 {

/// multiplier and shift nearest to a factor from quantized::smallest_factor to below quantized::largest_factor.
Rescale rescale_of(double factor);

/// What a row calls.
using Layer = std::variant<Convolution, Depthwise, Dense, MaxPool, AveragePool, Addition>;

/// A map that a row stores, or the network's input (row no_row), as part of what another row reads.
inline constexpr std::size_t no_row = static_cast<std::size_t>(-1);
struct Feed {
  std::size_t row = no_row;
  std::uint32_t channels = 0, height = 1, width = 1;  ///< of the map
};

/// A row with its numbers.
struct TableRow {
  quantized::Row row;
  /// Convolution::parts is left empty: it is the reader's business how the input is cut.
  Layer layer;
  std::uint32_t input_channels = 0, input_height = 1, input_width = 1;  ///< dense: of the map before it is a vector
  std::uint32_t channels = 0, height = 1, width = 1;                    ///< of the output
  /// By operand (one, but for additions): the maps whose channels follow one another.
  std::vector<std::vector<Feed>> operands;
  /// Convolution and dense.
  const quantized::QuantizedWeights* weights = nullptr;
  /// For each element of a dense layer's input as it lies in memory, the maps of its feeds one after the other, each by
  /// row, column, channel: the position of its weight in a filter.
  std::vector<std::uint32_t> dense_order;
  float scale = 1;  ///< of the output
};

/// The rows of a quantised network in the order of the rows of its swap plans. Refers to the network.
class LayerTable {
 public:
  explicit LayerTable(const quantized::QuantizedNetwork& network);
  LayerTable(const LayerTable&) = delete;
  LayerTable& operator=(const LayerTable&) = delete;

  const quantized::QuantizedNetwork& network() const { return network_; }
  std::span<const TableRow> rows() const { return rows_; }
  const models::Shape& input() const { return input_; }
  float input_scale() const { return input_scale_; }

  /// The maps that are the network's results, in the order of its nodes.
  std::span<const std::vector<Feed>> outputs() const { return outputs_; }

 private:
  Layer layer_of(const quantized::Row& row);
  const OutputChannel* channels_of(const quantized::Row& row, const quantized::QuantizedWeights& weights);
  AveragePool average_pool(const quantized::Row& row);

  const quantized::QuantizedNetwork& network_;
  models::Shape input_;
  float input_scale_ = 1;
  std::vector<TableRow> rows_;
  std::vector<std::vector<Feed>> outputs_;
  std::deque<std::vector<OutputChannel>> channels_;  ///< what the layers point to
  std::deque<std::vector<Rescale>> rescales_;
};

/// Appends the weights of a filter, or of channels [piece) of it, in the order of Chunk::weights for an input of these
/// parts. Of a dense layer `piece` and `parts` count elements in the order of TableRow::dense_order.
void append_filter(const TableRow& row, std::uint32_t filter, core::Range piece, std::span<const core::Range> parts,
                   std::vector<std::int8_t>& bytes);

}  // namespace spillway::int8
