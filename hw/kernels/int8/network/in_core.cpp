#include "hw/kernels/int8/network/in_core.hpp"

#include <algorithm>
#include <limits>
#include <memory>
#include <utility>
#include <variant>

#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Maps as the patches of an input, with the memory that patches refer to.
class WholeMaps {
 public:
  /// `as_vector`: the elements of the maps are the channels of one position.
  WholeMaps(std::span<const Feed> feeds, std::vector<const std::int8_t*> maps, bool as_vector)
      : maps_(std::move(maps)) {
    std::uint32_t channel = 0;
    for (std::size_t i = 0; i < feeds.size(); ++i) {
      const Feed& feed = feeds[i];
      const std::uint32_t height = as_vector ? 1 : feed.height, width = as_vector ? 1 : feed.width;
      const std::uint32_t channels = as_vector ? feed.channels * feed.height * feed.width : feed.channels;
      parts_.push_back({channel, channel + channels});
      patches_.push_back(
          {{parts_.back(), {0, height}, {0, width}}, {&maps_[i], std::numeric_limits<std::uint32_t>::max()}, 0});
      channel += channels;
      height_ = height;
      width_ = width;
    }
  }
  WholeMaps(const WholeMaps&) = delete;
  WholeMaps& operator=(const WholeMaps&) = delete;

  Input input() const { return {height_, width_, patches_}; }
  std::span<const core::Range> parts() const { return parts_; }

 private:
  std::vector<const std::int8_t*> maps_;
  std::vector<core::Range> parts_;
  std::vector<Patch> patches_;
  std::uint32_t height_ = 1, width_ = 1;
};

std::vector<core::Range> parts_of(const TableRow& row) {
  std::vector<core::Range> parts;
  std::uint32_t channel = 0;
  for (const Feed& feed : row.operands.front()) {
    parts.push_back({channel, channel + feed.channels});
    channel += feed.channels;
  }
  return parts;
}

core::Range filter_channels(const TableRow& row) {
  if (const auto* convolution = std::get_if<Convolution>(&row.layer)) return {0, convolution->filter_channels};
  if (const auto* dense = std::get_if<Dense>(&row.layer)) return {0, dense->inputs};
  return {0, 1};
}

std::vector<std::int8_t> weights_of(const TableRow& row) {
  std::vector<std::int8_t> bytes;
  if (row.weights == nullptr) return bytes;
  const std::vector<core::Range> parts = parts_of(row);
  for (std::uint32_t filter = 0; filter < row.channels; ++filter)
    append_filter(row, filter, filter_channels(row), parts, bytes);
  return bytes;
}

std::size_t scratch_of(const TableRow& row) {
  if (const auto* convolution = std::get_if<Convolution>(&row.layer)) {
    const Window& window = convolution->window;
    return std::max(least_scratch,
                    wanted_scratch(window.kernel_height * window.kernel_width * convolution->filter_channels));
  }
  if (const auto* depthwise = std::get_if<Depthwise>(&row.layer)) return wanted_scratch(*depthwise, row.width);
  return 0;
}

}  // namespace

InCore::InCore(const LayerTable& table) : table_(table) {
  std::size_t scratch = 0;
  for (const TableRow& row : table.rows()) {
    maps_.emplace_back(std::size_t{row.channels} * row.height * row.width);
    weights_.push_back(weights_of(row));
    scratch = std::max(scratch, scratch_of(row));
  }
  scratch_.resize(scratch);
}

void InCore::run(std::span<const std::int8_t> input) {
  input_.assign(input.begin(), input.end());
  for (std::size_t row = 0; row < maps_.size(); ++row)
    compute(row);
}

void InCore::run_float(std::span<const float> input) {
  run(quantized_map(input, table_.input(), table_.input_scale()));
}

std::span<const std::int8_t> InCore::bytes_of(const Feed& feed) const {
  return feed.row == no_row ? std::span<const std::int8_t>(input_) : maps_[feed.row];
}

void InCore::compute(std::size_t at) {
  const TableRow& row = table_.rows()[at];
  const core::Region box{{0, row.channels}, {0, row.height}, {0, row.width}};
  const Output output{box, maps_[at].data(), nullptr};
  const Chunk chunk{{0, row.channels}, filter_channels(row), weights_[at].data()};

  std::vector<std::unique_ptr<WholeMaps>> maps;
  std::vector<Input> inputs;
  for (const std::vector<Feed>& operand : row.operands) {
    std::vector<const std::int8_t*> pointers;
    for (const Feed& feed : operand)
      pointers.push_back(bytes_of(feed).data());
    maps.push_back(std::make_unique<WholeMaps>(operand, std::move(pointers), std::holds_alternative<Dense>(row.layer)));
    inputs.push_back(maps.back()->input());
  }

  struct Run {
    const WholeMaps& maps;
    std::span<const Input> inputs;
    const Chunk& chunk;
    const Output& output;
    std::span<std::int16_t> scratch;

    void operator()(Convolution layer) const {
      layer.parts = maps.parts();
      convolve(layer, inputs.front(), chunk, output, scratch);
    }
    void operator()(const Depthwise& layer) const { convolve_depthwise(layer, inputs.front(), chunk, output, scratch); }
    void operator()(const Dense& layer) const { multiply(layer, inputs.front(), chunk, output); }
    void operator()(const MaxPool& layer) const { pool(layer, inputs.front(), output); }
    void operator()(const AveragePool& layer) const { pool(layer, inputs.front(), output); }
    void operator()(const Addition& layer) const { add(layer, inputs, output); }
  };
  std::visit(Run{*maps.front(), inputs, chunk, output, scratch_}, row.layer);
}

std::vector<std::int8_t> InCore::output(std::size_t position) const {
  std::vector<std::int8_t> all;
  for (const Feed& feed : table_.outputs()[position]) {
    const std::span<const std::int8_t> map = bytes_of(feed);
    for (std::uint32_t c = 0; c < feed.channels; ++c)
      for (std::size_t i = 0; i < std::size_t{feed.height} * feed.width; ++i)
        all.push_back(map[i * feed.channels + c]);
  }
  return all;
}

std::vector<float> InCore::output_float(std::size_t position) const {
  const Feed& first = table_.outputs()[position].front();
  const float scale = first.row == no_row ? table_.input_scale() : table_.rows()[first.row].scale;
  std::vector<float> numbers;
  for (const std::int8_t value : output(position))
    numbers.push_back(static_cast<float>(value) * scale);
  return numbers;
}

std::vector<float> dequantized(std::span<const std::int8_t> map, const models::Shape& shape, float scale) {
  const auto positions = static_cast<std::size_t>(shape.height * shape.width);
  const auto channels = static_cast<std::size_t>(shape.channels);
  std::vector<float> numbers(map.size());
  for (std::size_t i = 0; i < positions; ++i)
    for (std::size_t c = 0; c < channels; ++c)
      numbers[c * positions + i] = static_cast<float>(map[i * channels + c]) * scale;
  return numbers;
}

std::vector<std::int8_t> quantized_map(std::span<const float> numbers, const models::Shape& shape, float scale) {
  const auto positions = static_cast<std::size_t>(shape.height * shape.width);
  const auto channels = static_cast<std::size_t>(shape.channels);
  std::vector<std::int8_t> map(numbers.size());
  for (std::size_t i = 0; i < positions; ++i)
    for (std::size_t c = 0; c < channels; ++c)
      map[i * channels + c] = quantized::quantize(numbers[c * positions + i], scale);
  return map;
}

}  // namespace spillway::int8
