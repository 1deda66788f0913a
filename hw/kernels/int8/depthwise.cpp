#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Four channels at a time: their weights stay widened in the scratch memory, and behind them the rows that a row of
/// outputs reads, four bytes a column.
class DepthwiseCall {
 public:
  DepthwiseCall(const Depthwise& layer, const Input& input, const Chunk& chunk, const Output& output,
                std::span<std::int16_t> scratch)
      : layer_(layer), window_(layer.window), input_(input), chunk_(chunk), output_(output) {
    const std::uint32_t taps = window_.kernel_height * window_.kernel_width;
    weights_ = reinterpret_cast<FourWeights*>(scratch.data());
    rows_ = reinterpret_cast<std::int8_t*>(scratch.data() + 4 * taps);
    const auto room = static_cast<std::uint32_t>(scratch.size()) - 4 * taps;
    const std::uint32_t reach = (window_.kernel_width - 1U) * window_.dilation_width + 1;
    block_ = (room / (2 * window_.kernel_height) - reach) / window_.stride_width + 1;
  }

  void run() {
    for (std::uint32_t first = chunk_.filters.first; first < chunk_.filters.last; first += 4) {
      channels_ = {first, less(first + 4, chunk_.filters.last)};
      widen_weights();
      for (std::uint32_t y = output_.box.rows.first; y < output_.box.rows.last; ++y)
        for (std::uint32_t x = output_.box.columns.first; x < output_.box.columns.last; x += block_)
          compute(y, {x, less(output_.box.columns.last, x + block_)});
    }
  }

 private:
  void widen_weights() {
    const std::uint32_t taps = window_.kernel_height * window_.kernel_width;
    const std::int8_t* const from = chunk_.weights + (channels_.first - chunk_.filters.first) * taps;
    const std::uint32_t channels = channels_.size();
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      const auto of = [&](std::uint32_t channel) {
        return channel < channels ? from[channel * taps + tap] : std::int8_t{0};
      };
      weights_[tap] = four_weights(of(0), of(1), of(2), of(3));
    }
  }

  void compute(std::uint32_t y, core::Range columns) {
    const std::uint32_t span =
        (columns.size() - 1) * window_.stride_width + (window_.kernel_width - 1U) * window_.dilation_width + 1;
    gather(y, columns.first, span);
    std::int8_t* to =
        output_.values +
        ((y - output_.box.rows.first) * output_.box.columns.size() + columns.first - output_.box.columns.first) *
            output_.box.channels.size() +
        channels_.first - output_.box.channels.first;
    const OutputChannel* const of = layer_.channels + channels_.first;
    const std::uint32_t channels = channels_.size();
    for (std::uint32_t x = 0; x < columns.size(); ++x, to += output_.box.channels.size()) {
      std::int32_t sums[4] = {};
      for (std::uint32_t i = 0; i < window_.kernel_height; ++i)
        multiply_four(weights_ + i * window_.kernel_width, rows_ + 4 * (i * span + x * window_.stride_width),
                      window_.kernel_width, window_.dilation_width, sums);
      for (std::uint32_t c = 0; c < channels; ++c)
        to[c] = requantize(sums[c] + of[c].bias, of[c].rescale, layer_.clamp);
    }
  }

  void gather(std::uint32_t y, std::uint32_t x, std::uint32_t span) {
    RowElements row;
    row.row = window_start(y, window_.stride_height, window_.pad_top);
    row.first_column = window_start(x, window_.stride_width, window_.pad_left);
    row.columns = span;
    row.channels = channels_;
    std::int8_t* to = rows_;
    for (std::uint32_t i = 0; i < window_.kernel_height; ++i, row.row += window_.dilation_height) {
      if (channels_.size() == 4)
        read_row(input_, row, [&to](const std::int8_t* run, std::uint32_t count) {
          if (run != nullptr && count == 4)
            __builtin_memcpy(to, run, 4);
          else
            for (std::uint32_t k = 0; k < count; ++k)
              to[k] = run == nullptr ? std::int8_t{0} : run[k];
          to += count;
        });
      else
        gather_few(row, to);
    }
  }

  /// Fewer than four channels: the others' weights are 0, so what stands in their place does not matter.
  void gather_few(const RowElements& row, std::int8_t*& to) {
    std::uint32_t channel = 0;
    const std::uint32_t channels = row.channels.size();
    read_row(input_, row, [&](const std::int8_t* run, std::uint32_t count) {
      for (std::uint32_t k = 0; k < count; ++k) {
        to[channel] = run == nullptr ? std::int8_t{0} : run[k];
        if (++channel != channels) continue;
        for (; channel < 4; ++channel)
          to[channel] = 0;
        channel = 0;
        to += 4;
      }
    });
  }

  const Depthwise& layer_;
  const Window& window_;
  const Input& input_;
  const Chunk& chunk_;
  const Output& output_;
  FourWeights* weights_;
  std::int8_t* rows_;
  std::uint32_t block_;  ///< outputs of a row that the scratch memory has room for
  core::Range channels_;
};

}  // namespace

void convolve_depthwise(const Depthwise& layer, const Input& input, const Chunk& chunk, const Output& output,
                        std::span<std::int16_t> scratch) {
  DepthwiseCall(layer, input, chunk, output, scratch).run();
}

}  // namespace spillway::int8
