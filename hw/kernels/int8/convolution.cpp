#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8 {
namespace {

/// Where an output's sums stand while its column comes in steps.
constexpr std::uint32_t block_filters = 16;

/// The filters of one group that a chunk has: they share their columns.
class GroupConvolution {
 public:
  GroupConvolution(const Convolution& layer, const Input& input, const Chunk& chunk, const Output& output,
                   core::Range filters, std::span<std::int16_t> scratch)
      : layer_(layer), input_(input), chunk_(chunk), output_(output), filters_(filters), pair_(scratch.data()) {
    const std::uint32_t first = filters.first / layer.group_filters * layer.filter_channels;
    channels_ = {first + chunk.channels.first, first + chunk.channels.last};
    elements_ = layer.window.kernel_height * layer.window.kernel_width * channels_.size();
    room_ = static_cast<std::uint32_t>(scratch.size()) / (2 * column_group) * column_group;
    pixels_ = output.box.rows.size() * output.box.columns.size();
  }

  void run() {
    for (std::uint32_t pixel = 0; pixel < pixels_; pixel += 2)
      compute(pixel, less(2, pixels_ - pixel));
  }

 private:
  void compute(std::uint32_t pixel, std::uint32_t pixels) {
    if (elements_ > room_) {
      for (std::uint32_t first = filters_.first; first < filters_.last; first += block_filters)
        compute_in_steps({first, less(filters_.last, first + block_filters)}, pixel, pixels);
      return;
    }
    gather(pixel, pixels, 0, elements_);
    if (chunk_.channels.size() == layer_.filter_channels) {
      const std::uint32_t depth = output_.box.channels.size();
      const WholeFilters filters{weights_of(filters_.first), layer_.channels + filters_.first, elements_,
                                 filters_.size(), layer_.clamp};
      compute_outputs(filters, pair_, room_,
                      output_.values + pixel * depth + filters_.first - output_.box.channels.first, depth, pixels == 2);
      return;
    }
    for (std::uint32_t filter = filters_.first; filter < filters_.last; ++filter) {
      std::int32_t sums[2];
      begin(filter, pixel, pixels, sums);
      multiply_columns(weights_of(filter), pair_, room_, elements_, sums);
      end(filter, pixel, pixels, sums);
    }
  }

  /// Columns longer than the scratch memory: the sums of some filters wait while they are read on.
  void compute_in_steps(core::Range filters, std::uint32_t pixel, std::uint32_t pixels) {
    std::int32_t sums[block_filters][2];
    for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
      begin(filter, pixel, pixels, sums[filter - filters.first]);
    for (std::uint32_t from = 0; from < elements_; from += room_) {
      const std::uint32_t to = less(elements_, from + room_);
      gather(pixel, pixels, from, to);
      for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
        multiply_columns(weights_of(filter) + from, pair_, room_, to - from, sums[filter - filters.first]);
    }
    for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
      end(filter, pixel, pixels, sums[filter - filters.first]);
  }

  const std::int8_t* weights_of(std::uint32_t filter) const {
    return chunk_.weights + (filter - chunk_.filters.first) * elements_;
  }

  void gather(std::uint32_t pixel, std::uint32_t pixels, std::uint32_t from, std::uint32_t to) {
    for (std::uint32_t column = 0; column < pixels; ++column)
      gather_column(pixel + column, ColumnWriter(pair_, room_, column), from, to);
  }

  /// Elements [from, to) of the column of an output, in the order of a filter's weights.
  void gather_column(std::uint32_t pixel, ColumnWriter writer, std::uint32_t from, std::uint32_t to) {
    const Window& window = layer_.window;
    const std::uint32_t width = output_.box.columns.size();
    const std::uint32_t y = output_.box.rows.first + pixel / width, x = output_.box.columns.first + pixel % width;
    std::uint32_t at = 0;
    for (const core::Range part : layer_.parts) {
      RowElements row;
      row.channels = core::common(part, channels_);
      if (row.channels.empty()) continue;
      row.row = window_start(y, window.stride_height, window.pad_top);
      row.first_column = window_start(x, window.stride_width, window.pad_left);
      row.columns = window.kernel_width;
      row.step = window.dilation_width;
      if (to - from == elements_) {
        const Block block = block_of(input_, row, window.kernel_height, window.dilation_height);
        if (block.first != nullptr && (row.columns == 1 || block.column_bytes == row.channels.size())) {
          const std::int8_t* run = block.first;
          const std::uint32_t size = row.size();
          for (std::uint32_t i = window.kernel_height; i != 0; --i, run += block.row_bytes)
            writer.append(run, size);
          continue;
        }
      }
      for (std::uint32_t i = 0; i < window.kernel_height; ++i, row.row += window.dilation_height) {
        const std::uint32_t size = row.size();
        if (at >= to) break;
        if (at >= from && at + size <= to)
          read_row(input_, row, [&writer](const std::int8_t* run, std::uint32_t count) { write(writer, run, count); });
        else if (at + size > from)
          gather_some(row, at, {from, to}, writer);
        at += size;
      }
    }
    writer.finish();
  }

  /// Those elements of a row, the first of which is element `at` of the column, that lie in [range).
  void gather_some(const RowElements& row, std::uint32_t at, core::Range range, ColumnWriter& writer) {
    read_row(input_, row, [&writer, &at, range](const std::int8_t* run, std::uint32_t count) {
      const core::Range wanted = core::common({at, at + count}, range);
      if (!wanted.empty()) write(writer, run == nullptr ? nullptr : run + (wanted.first - at), wanted.size());
      at += count;
    });
  }

  static void write(ColumnWriter& writer, const std::int8_t* run, std::uint32_t count) {
    if (run == nullptr)
      writer.append_zeros(count);
    else
      writer.append(run, count);
  }

  std::int32_t* sums_of(std::uint32_t filter, std::uint32_t pixel) const {
    return output_.sums + (filter - chunk_.filters.first) * pixels_ + pixel;
  }

  void begin(std::uint32_t filter, std::uint32_t pixel, std::uint32_t pixels, std::int32_t (&sums)[2]) const {
    sums[0] = sums[1] = layer_.channels[filter].bias;
    if (chunk_.channels.first == 0) return;
    for (std::uint32_t p = 0; p < pixels; ++p)
      sums[p] = sums_of(filter, pixel)[p];
  }

  void end(std::uint32_t filter, std::uint32_t pixel, std::uint32_t pixels, const std::int32_t (&sums)[2]) const {
    if (chunk_.channels.last != layer_.filter_channels) {
      for (std::uint32_t p = 0; p < pixels; ++p)
        sums_of(filter, pixel)[p] = sums[p];
      return;
    }
    const Requantizer requantize(layer_.channels[filter].rescale, layer_.clamp);
    const std::uint32_t depth = output_.box.channels.size();
    std::int8_t* const to = output_.values + pixel * depth + filter - output_.box.channels.first;
    to[0] = requantize(sums[0]);
    if (pixels == 2) to[depth] = requantize(sums[1]);
  }

  const Convolution& layer_;
  const Input& input_;
  const Chunk& chunk_;
  const Output& output_;
  core::Range filters_, channels_;
  std::int16_t* pair_;          ///< two columns
  std::uint32_t room_ = 0;      ///< elements of each
  std::uint32_t elements_ = 0;  ///< of a filter in the chunk
  std::uint32_t pixels_ = 0;    ///< of the tile
};

}  // namespace

void convolve(const Convolution& layer, const Input& input, const Chunk& chunk, const Output& output,
              std::span<std::int16_t> scratch) {
  for (core::Range filters = chunk.filters; !filters.empty();) {
    const std::uint32_t group_end = (filters.first / layer.group_filters + 1) * layer.group_filters;
    const std::uint32_t last = less(filters.last, group_end);
    GroupConvolution(layer, input, chunk, output, {filters.first, last}, scratch).run();
    filters.first = last;
  }
}

}  // namespace spillway::int8
