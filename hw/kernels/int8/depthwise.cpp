#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Four channels at a time: their weights stay widened in the scratch memory, and behind them the rows that a row of
/// outputs reads.
class DepthwiseCall {
 public:
  DepthwiseCall(const Depthwise& layer, const Input& input, const Chunk& chunk, const Output& output,
                std::span<std::int16_t> scratch)
      : layer_(layer), window_(layer.window), input_(input), chunk_(chunk), output_(output) {
    static_assert(sizeof(FourChannels) == 4 * sizeof(std::int16_t));
    const std::uint32_t taps = window_.kernel_height * window_.kernel_width;
    weights_ = reinterpret_cast<FourChannels*>(scratch.data());
    rows_ = weights_ + taps;
    const auto room = static_cast<std::uint32_t>(scratch.size()) / 4 - taps;
    of_.stride = window_.stride_width;
    of_.clamp = layer.clamp;
    block_ = (room / window_.kernel_height - reach()) / window_.stride_width + 1;
  }

  void run() {
    for (std::uint32_t first = chunk_.filters.first; first < chunk_.filters.last; first += 4) {
      channels_ = {first, less(first + 4, chunk_.filters.last)};
      prepare_channels();
      for (std::uint32_t y = output_.box.rows.first; y < output_.box.rows.last; ++y)
        for (std::uint32_t x = output_.box.columns.first; x < output_.box.columns.last; x += block_)
          compute(y, {x, less(output_.box.columns.last, x + block_)});
    }
  }

 private:
  /// Columns from the first to the last element of a window.
  std::uint32_t reach() const { return (window_.kernel_width - 1U) * window_.dilation_width + 1; }

  void prepare_channels() {
    const std::uint32_t taps = window_.kernel_height * window_.kernel_width, channels = channels_.size();
    const std::int8_t* const from = chunk_.weights + (channels_.first - chunk_.filters.first) * taps;
    for (std::uint32_t tap = 0; tap < taps; ++tap) {
      std::int8_t of[4] = {};
      for (std::uint32_t c = 0; c < channels; ++c)
        of[c] = from[c * taps + tap];
      weights_[tap] = four_channels(of);
    }
    of_.depth = channels;
    for (std::uint32_t c = 0; c < channels; ++c)
      of_.channels[c] = layer_.channels[channels_.first + c];
  }

  void compute(std::uint32_t y, core::Range columns) {
    const std::uint32_t span = (columns.size() - 1) * window_.stride_width + reach();
    gather(y, columns.first, span);
    const std::uint32_t depth = output_.box.channels.size();
    const std::uint32_t row = y - output_.box.rows.first, column = columns.first - output_.box.columns.first;
    std::int8_t* const to = output_.values + (row * output_.box.columns.size() + column) * depth + channels_.first -
                            output_.box.channels.first;
    of_.count = columns.size();
    compute_windows({window_.kernel_height, window_.kernel_width, span, window_.dilation_width}, weights_, rows_, of_,
                    to, depth);
  }

  void gather(std::uint32_t y, std::uint32_t x, std::uint32_t span) {
    RowElements row;
    row.row = window_start(y, window_.stride_height, window_.pad_top);
    row.first_column = window_start(x, window_.stride_width, window_.pad_left);
    row.columns = span;
    row.channels = channels_;
    FourChannels* to = rows_;
    const Block block = block_of(input_, row, window_.kernel_height, window_.dilation_height);
    if (channels_.size() == 4 && block.first != nullptr) {
      const std::int8_t* from = block.first;
      for (std::uint32_t i = window_.kernel_height; i != 0; --i, from += block.row_bytes) {
        const std::int8_t* at = from;
        for (FourChannels* const end = to + span; to != end; at += block.column_bytes)
          *to++ = four_channels(at);
      }
      return;
    }
    for (std::uint32_t i = 0; i < window_.kernel_height; ++i, row.row += window_.dilation_height)
      gather_row(row, to);
  }

  /// A run is a whole number of columns, or a part of one where a buffer or a patch ends.
  void gather_row(const RowElements& row, FourChannels*& to) {
    const std::uint32_t channels = row.channels.size();
    std::int8_t of[4] = {};
    std::uint32_t channel = 0;
    read_row(input_, row, [&](const std::int8_t* run, std::uint32_t count) {
      if (channels == 4 && count == 4 && channel == 0 && run != nullptr) {
        *to++ = four_channels(run);
        return;
      }
      for (std::uint32_t i = 0; i < count; ++i) {
        of[channel] = run == nullptr ? std::int8_t{0} : run[i];
        if (++channel != channels) continue;
        *to++ = four_channels(of);
        channel = 0;
      }
    });
  }

  const Depthwise& layer_;
  const Window& window_;
  const Input& input_;
  const Chunk& chunk_;
  const Output& output_;
  FourChannels* weights_;
  FourChannels* rows_;
  std::uint32_t block_;  ///< outputs of a row that the scratch memory has room for
  core::Range channels_;
  FourOutputs of_;
};

}  // namespace

void convolve_depthwise(const Depthwise& layer, const Input& input, const Chunk& chunk, const Output& output,
                        std::span<std::int16_t> scratch) {
  DepthwiseCall(layer, input, chunk, output, scratch).run();
}

}  // namespace spillway::int8
