#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "hw/kernels/int8/network/layer_table.hpp"

namespace spillway::int8 {

/// A quantised network with everything in memory: each map is one tile, each layer's weights one chunk. What a swapped
/// run must equal bit for bit.
class InCore {
 public:
  /// Refers to the table.
  explicit InCore(const LayerTable& table);

  /// Computes a frame given as numbers of the input's scale, by row, column, channel.
  void run(std::span<const std::int8_t> input);

  /// The same for float32 numbers in the order of models (channel, row, column): quantises them first.
  void run_float(std::span<const float> input);

  /// The map of a row after run(), by row, column, channel.
  std::span<const std::int8_t> map(std::size_t row) const { return maps_[row]; }

  /// The network's result (by its position in LayerTable::outputs) in the order of models.
  std::vector<std::int8_t> output(std::size_t position) const;
  /// The same as numbers.
  std::vector<float> output_float(std::size_t position) const;

 private:
  std::span<const std::int8_t> bytes_of(const Feed& feed) const;
  void compute(std::size_t row);

  const LayerTable& table_;
  std::vector<std::int8_t> input_;
  std::vector<std::vector<std::int8_t>> maps_;     ///< by row
  std::vector<std::vector<std::int8_t>> weights_;  ///< by row, in the order of the kernels
  std::vector<std::int16_t> scratch_;
};

/// A map by row, column, channel as numbers in the order of models.
std::vector<float> dequantized(std::span<const std::int8_t> map, const models::Shape& shape, float scale);

/// Numbers in the order of models as a map by row, column, channel.
std::vector<std::int8_t> quantized_map(std::span<const float> numbers, const models::Shape& shape, float scale);

}  // namespace spillway::int8
