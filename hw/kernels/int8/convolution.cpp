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
      : layer_(layer), input_(input), chunk_(chunk), output_(output), filters_(filters) {
    const std::uint32_t first = filters.first / layer.group_filters * layer.filter_channels;
    channels_ = {first + chunk.channels.first, first + chunk.channels.last};
    elements_ = layer.window.kernel_height * layer.window.kernel_width * channels_.size();
    step_ = static_cast<std::uint32_t>(scratch.size()) / (2 * column_group) * column_group;
    for (int p = 0; p < 2; ++p)
      columns_[p] = scratch.data() + p * static_cast<std::int32_t>(step_);
  }

  void run() {
    const std::uint32_t width = output_.box.columns.size();
    const std::uint32_t pixels = output_.box.rows.size() * width;
    std::uint32_t pixel = 0;
    for (; pixel + 1 < pixels; pixel += 2)
      compute<2>(pixel);
    if (pixel < pixels) compute<1>(pixel);
  }

 private:
  template <int pixels>
  void compute(std::uint32_t pixel) {
    if (elements_ <= step_) {
      for (int p = 0; p < pixels; ++p)
        gather(pixel + static_cast<std::uint32_t>(p), columns_[p], 0, elements_);
      std::uint32_t filter = filters_.first;
      for (; filter + 1 < filters_.last; filter += 2)
        compute_whole<2, pixels>(filter, pixel);
      if (filter < filters_.last) compute_whole<1, pixels>(filter, pixel);
      return;
    }
    for (std::uint32_t first = filters_.first; first < filters_.last; first += block_filters)
      compute_in_steps<pixels>({first, less(filters_.last, first + block_filters)}, pixel);
  }

  template <int filters, int pixels>
  void compute_whole(std::uint32_t filter, std::uint32_t pixel) {
    std::int32_t sums[filters][pixels];
    for (int f = 0; f < filters; ++f)
      for (int p = 0; p < pixels; ++p)
        sums[f][p] = begin(filter + static_cast<std::uint32_t>(f), pixel + static_cast<std::uint32_t>(p));
    multiply<filters, pixels>(filter, 0, elements_, sums);
    for (int f = 0; f < filters; ++f)
      for (int p = 0; p < pixels; ++p)
        end(filter + static_cast<std::uint32_t>(f), pixel + static_cast<std::uint32_t>(p), sums[f][p]);
  }

  /// A column longer than the scratch memory: the sums of some filters wait while it is read on.
  template <int pixels>
  void compute_in_steps(core::Range filters, std::uint32_t pixel) {
    std::int32_t sums[block_filters][1][pixels];
    for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
      for (int p = 0; p < pixels; ++p)
        sums[filter - filters.first][0][p] = begin(filter, pixel + static_cast<std::uint32_t>(p));
    for (std::uint32_t from = 0; from < elements_; from += step_) {
      const std::uint32_t to = less(elements_, from + step_);
      for (int p = 0; p < pixels; ++p)
        gather(pixel + static_cast<std::uint32_t>(p), columns_[p], from, to);
      for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
        multiply<1, pixels>(filter, from, to, sums[filter - filters.first]);
    }
    for (std::uint32_t filter = filters.first; filter < filters.last; ++filter)
      for (int p = 0; p < pixels; ++p)
        end(filter, pixel + static_cast<std::uint32_t>(p), sums[filter - filters.first][0][p]);
  }

  template <int filters, int pixels>
  void multiply(std::uint32_t filter, std::uint32_t from, std::uint32_t to, std::int32_t (&sums)[filters][pixels]) {
    const std::int8_t* weights[filters];
    const std::int16_t* columns[pixels];
    for (int f = 0; f < filters; ++f)
      weights[f] = chunk_.weights + (filter - chunk_.filters.first + static_cast<std::uint32_t>(f)) * elements_ + from;
    for (int p = 0; p < pixels; ++p)
      columns[p] = columns_[p];
    multiply_columns<filters, pixels>(weights, columns, to - from, sums);
  }

  /// Elements [from, to) of the column of an output, in the order of a filter's weights.
  void gather(std::uint32_t pixel, std::int16_t* column, std::uint32_t from, std::uint32_t to) {
    const Window& window = layer_.window;
    const std::uint32_t width = output_.box.columns.size();
    const std::uint32_t y = output_.box.rows.first + pixel / width, x = output_.box.columns.first + pixel % width;
    ColumnWriter writer(column);
    std::uint32_t at = 0;
    for (const core::Range part : layer_.parts) {
      RowElements row;
      row.channels = core::common(part, channels_);
      if (row.channels.empty()) continue;
      row.row = window_start(y, window.stride_height, window.pad_top);
      row.first_column = window_start(x, window.stride_width, window.pad_left);
      row.columns = window.kernel_width;
      row.step = window.dilation_width;
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

  std::int32_t& sum_of(std::uint32_t filter, std::uint32_t pixel) const {
    return output_.sums[(filter - chunk_.filters.first) * output_.box.rows.size() * output_.box.columns.size() + pixel];
  }

  std::int32_t begin(std::uint32_t filter, std::uint32_t pixel) const {
    return chunk_.channels.first == 0 ? layer_.channels[filter].bias : sum_of(filter, pixel);
  }

  void end(std::uint32_t filter, std::uint32_t pixel, std::int32_t sum) const {
    if (chunk_.channels.last != layer_.filter_channels) {
      sum_of(filter, pixel) = sum;
      return;
    }
    output_.values[pixel * output_.box.channels.size() + filter - output_.box.channels.first] =
        requantize(sum, layer_.channels[filter].rescale, layer_.clamp);
  }

  const Convolution& layer_;
  const Input& input_;
  const Chunk& chunk_;
  const Output& output_;
  core::Range filters_, channels_;
  std::uint32_t elements_ = 0;  ///< of a filter in the chunk
  std::uint32_t step_ = 0;      ///< elements of a column that the scratch memory holds
  std::int16_t* columns_[2]{};
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
