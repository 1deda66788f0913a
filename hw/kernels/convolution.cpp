#include "hw/kernels/arithmetic.hpp"
#include "hw/kernels/gemm.hpp"
#include "hw/kernels/lowering.hpp"
#include "hw/kernels/run.hpp"

namespace spillway::kernels {
namespace {

/// Floats of the windows of a block, lowered; whole cache lines.
std::size_t lowered_floats(const Convolution& layer) {
  if (is_pointwise(layer)) return 0;
  const std::int64_t floats = layer.input.channels / layer.groups * layer.window.kernel_height *
                              layer.window.kernel_width * blocks_of(layer).rows * layer.output.width;
  constexpr std::int64_t line = 16;
  return static_cast<std::size_t>(divide_up(floats, line) * line);
}

/// A convolution as products of matrices.
class LoweredConvolution {
 public:
  LoweredConvolution(const Convolution& layer, const float* input, const ConvolutionWeights& weights,
                     const float* residual, float* output)
      : layer_(layer),
        blocks_(blocks_of(layer)),
        input_(input),
        weights_(weights),
        residual_(residual),
        output_(output),
        channels_(layer.input.channels / layer.groups),
        filters_(layer.output.channels / layer.groups),
        inner_(channels_ * layer.window.kernel_height * layer.window.kernel_width),
        plane_(layer.output.height * layer.output.width) {}

  void run(const Execution& execution) const {
    const std::int64_t places = blocks_.count / blocks_.filter_blocks;
    if (blocks_.filter_blocks == 1)
      run_places(places, execution);
    else
      for (std::int64_t place = 0; place < places; ++place)
        run_filters(place, execution);
  }

 private:
  /// Where in the output a block lies, its filters apart.
  struct Place {
    std::int64_t frame = 0, group = 0;
    Range rows;
  };

  Place place_of(std::int64_t number) const {
    const std::int64_t map = number / blocks_.row_blocks;
    return {map / layer_.groups, map % layer_.groups,
            range_of(number % blocks_.row_blocks, blocks_.rows, layer_.output.height)};
  }

  const float* input_of(const Place& place) const {
    const std::int64_t channel = place.frame * layer_.input.channels + place.group * channels_;
    return input_ + channel * layer_.input.height * layer_.input.width;
  }

  /// Many places: each lowered and multiplied by one thread.
  void run_places(std::int64_t places, const Execution& execution) const {
    const std::size_t lowered = lowered_floats(layer_), floats = lowered + gemm_scratch_floats();
    for_each_block(places, execution, [&](std::int64_t number, int thread) {
      float* scratch = static_cast<float*>(execution.scratch) + static_cast<std::size_t>(thread) * floats;
      const Place place = place_of(number);
      if (lowered != 0) lower_windows(layer_, input_of(place), {0, channels_}, place.rows, scratch);
      multiply(place, {0, filters_}, scratch, scratch + lowered);
    });
  }

  /// Few places, as in the deep layers: lowered by all threads, then the filters shared among them.
  void run_filters(std::int64_t number, const Execution& execution) const {
    const Place place = place_of(number);
    float* lowered = static_cast<float*>(execution.scratch);
    if (!is_pointwise(layer_)) {
      Execution quiet = execution;
      quiet.progress = nullptr;
      constexpr std::int64_t channel_block = 16;
      for_each_block(divide_up(channels_, channel_block), quiet, [&](std::int64_t block, int) {
        lower_windows(layer_, input_of(place), range_of(block, channel_block, channels_), place.rows, lowered);
      });
    }
    for_each_block(blocks_.filter_blocks, execution, [&](std::int64_t block, int thread) {
      float* scratch = lowered + lowered_floats(layer_) + static_cast<std::size_t>(thread) * gemm_scratch_floats();
      multiply(place, range_of(block, blocks_.filters, filters_), lowered, scratch);
    });
  }

  void multiply(const Place& place, Range filters, const float* lowered, float* scratch) const {
    const std::int64_t width = layer_.output.width, columns = place.rows.size() * width;
    const bool direct = is_pointwise(layer_);
    const std::int64_t first = place.group * filters_ + filters.begin;
    const std::int64_t begin = (place.frame * layer_.output.channels + first) * plane_ + place.rows.begin * width;
    gemm(filters.size(), columns, inner_, weights_.filters + first * inner_, inner_,
         direct ? input_of(place) + place.rows.begin * width : lowered, direct ? plane_ : columns, output_ + begin,
         plane_, scratch);
    for (std::int64_t filter = 0; filter < filters.size(); ++filter) {
      const std::int64_t number = first + filter, row = begin + filter * plane_;
      const auto of_filter = [number](const float* numbers) { return numbers == nullptr ? nullptr : numbers + number; };
      const RowEnd end{of_filter(weights_.bias), of_filter(weights_.scale), of_filter(weights_.shift),
                       residual_ == nullptr ? nullptr : residual_ + row};
      finish_row(end, layer_.activation, output_ + row, columns);
    }
  }

  const Convolution& layer_;
  ConvolutionBlocks blocks_;
  const float* input_;
  const ConvolutionWeights& weights_;
  const float* residual_;
  float* output_;
  std::int64_t channels_, filters_;  ///< of a group
  std::int64_t inner_, plane_;       ///< elements of a filter, positions of the output
};

}  // namespace

std::size_t scratch_bytes(const Convolution& layer, int threads) {
  const std::size_t count = static_cast<std::size_t>(threads);
  if (is_depthwise(layer)) return count * depthwise_scratch_floats(layer) * sizeof(float);
  const std::size_t lowered = lowered_floats(layer) * (blocks_of(layer).filter_blocks == 1 ? count : 1);
  return (lowered + count * gemm_scratch_floats()) * sizeof(float);
}

void run(const Convolution& layer, const float* input, const ConvolutionWeights& weights, const float* residual,
         float* output, const Execution& execution) {
  if (is_depthwise(layer))
    run_depthwise(layer, input, weights, residual, output, execution);
  else
    LoweredConvolution(layer, input, weights, residual, output).run(execution);
}

}  // namespace spillway::kernels
