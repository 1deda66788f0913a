#include "exercise.hpp"

#include "hw/kernels/int8/arithmetic.hpp"
#include "hw/kernels/int8/input_rows.hpp"
#include "hw/kernels/int8/run.hpp"

namespace spillway::int8::test {
namespace {

constexpr std::uint32_t most_input = 4096, most_output = 4096, most_weights = 4096, most_buffers = 512,
                        most_channels = 64;
constexpr int cases = 60;

class Random {
 public:
  explicit Random(std::uint32_t seed) : state_(seed) {}

  std::uint32_t next() {
    state_ = state_ * 1664525 + 1013904223;
    return state_ >> 8;
  }
  std::uint32_t between(std::uint32_t least, std::uint32_t most) { return least + next() % (most - least + 1); }
  std::int8_t number() { return static_cast<std::int8_t>(static_cast<int>(next() % 255) - 127); }
  std::uint16_t small(std::uint32_t least, std::uint32_t most) {
    return static_cast<std::uint16_t>(between(least, most));
  }

 private:
  std::uint32_t state_;
};

class Hash {
 public:
  void add(const void* bytes, std::uint32_t count) {
    for (std::uint32_t i = 0; i < count; ++i)
      value_ = (value_ ^ static_cast<const std::uint8_t*>(bytes)[i]) * 16777619U;
  }
  std::uint32_t value() const { return value_; }

 private:
  std::uint32_t value_ = 2166136261U;
};

// The memory of a case. Each buffer has a gap behind it.
std::int8_t map[most_input], scattered[most_input + 8 * most_buffers], weights[most_weights], values[most_output];
const std::int8_t* pointers[most_buffers];
std::int32_t sums[most_output];
OutputChannel channels[most_channels];
alignas(4) std::int16_t scratch[2048];

struct Shape {
  Window window;
  std::uint32_t height = 1, width = 1, output_height = 1, output_width = 1;
};

Shape random_shape(Random& random) {
  Shape shape;
  Window& window = shape.window;
  window.kernel_height = random.small(1, 3);
  window.kernel_width = random.small(1, 3);
  window.stride_height = random.small(1, 2);
  window.stride_width = random.small(1, 2);
  window.dilation_height = random.small(1, 2);
  window.dilation_width = random.small(1, 2);
  window.pad_top = random.small(0, window.kernel_height - 1U);
  window.pad_left = random.small(0, window.kernel_width - 1U);
  const std::uint32_t span_height = (window.kernel_height - 1U) * window.dilation_height + 1;
  const std::uint32_t span_width = (window.kernel_width - 1U) * window.dilation_width + 1;
  shape.height = span_height + random.between(0, 5);
  shape.width = span_width + random.between(0, 5);
  shape.output_height = (shape.height + window.pad_top - span_height) / window.stride_height + 1;
  shape.output_width = (shape.width + window.pad_left - span_width) / window.stride_width + 1;
  return shape;
}

Rescale random_rescale(Random& random, std::uint32_t least, std::uint32_t most) {
  const bool halves = random.between(0, 3) == 0;
  const std::uint32_t multiplier = halves ? 1U << 30 : (1U << 30) + (random.next() << 6) % (1U << 30);
  return {static_cast<std::int32_t>(multiplier), static_cast<std::uint8_t>(random.between(least, most))};
}

Clamp random_clamp(Random& random) {
  return {static_cast<std::int8_t>(random.between(0, 1) == 0 ? 0 : -127),
          static_cast<std::int8_t>(random.between(0, 1) == 0 ? 127 : 60)};
}

void fill(Random& random, std::int8_t* bytes, std::uint32_t count) {
  for (std::uint32_t i = 0; i < count; ++i)
    bytes[i] = random.number();
}

void set_channels(Random& random, std::uint32_t count) {
  for (std::uint32_t k = 0; k < count; ++k)
    channels[k] = {static_cast<std::int32_t>(random.between(0, 40000)) - 20000, random_rescale(random, 30, 42)};
}

/// A box of the map as one or two patches over a chain of small buffers.
class Scatter {
 public:
  Scatter(Random& random, std::uint32_t height, std::uint32_t width, std::uint32_t depth, const core::Region& box)
      : height_(height), width_(width) {
    const std::uint32_t middle = box.channels.first + random.between(1, box.channels.size());
    const std::uint32_t buffer_bytes = random.between(9, 40);
    std::uint32_t byte = random.between(0, 3);
    // Buffers begin at addresses of all alignments, with gaps between them.
    const auto start_of = [buffer_bytes](std::uint32_t i) { return scattered + i * (buffer_bytes + 4) + i % 3; };
    for (const core::Range part : {core::Range{box.channels.first, middle}, core::Range{middle, box.channels.last}}) {
      if (part.empty()) continue;
      patches_[count_++] = {{part, box.rows, box.columns}, {pointers, buffer_bytes}, byte};
      for (std::uint32_t y = box.rows.first; y < box.rows.last; ++y)
        for (std::uint32_t x = box.columns.first; x < box.columns.last; ++x)
          for (std::uint32_t c = part.first; c < part.last; ++c, ++byte)
            start_of(byte / buffer_bytes)[byte % buffer_bytes] = map[(y * width + x) * depth + c];
    }
    for (std::uint32_t i = 0; i * buffer_bytes < byte; ++i)
      pointers[i] = start_of(i);
  }

  Input input() const { return {height_, width_, {patches_, count_}}; }

 private:
  std::uint32_t height_, width_;
  Patch patches_[2];
  std::uint32_t count_ = 0;
};

/// The rows of the map that a band of outputs reads.
core::Range rows_read(const Shape& shape, core::Range rows) {
  const Window& window = shape.window;
  const std::int32_t first = window_start(rows.first, window.stride_height, window.pad_top);
  const std::uint32_t last =
      static_cast<std::uint32_t>(window_start(rows.last - 1, window.stride_height, window.pad_top) +
                                 (window.kernel_height - 1) * window.dilation_height + 1);
  return {static_cast<std::uint32_t>(first < 0 ? 0 : first), less(last, shape.height)};
}

/// Calls visit(tile, input) for bands of rows.
template <typename Visit>
void for_each_band(Random& random, const Shape& shape, std::uint32_t depth, core::Range outputs, Hash& hash,
                   const Visit& visit) {
  const std::uint32_t step = random.between(1, shape.output_height);
  for (std::uint32_t first = 0; first < shape.output_height; first += step) {
    const core::Region box{outputs, {first, less(first + step, shape.output_height)}, {0, shape.output_width}};
    const Scatter scatter(random, shape.height, shape.width, depth,
                          {{0, depth}, rows_read(shape, box.rows), {0, shape.width}});
    visit(Output{box, values, sums}, scatter.input());
    hash.add(values, static_cast<std::uint32_t>(box.elements()));
  }
}

void convolutions(Random& random, Hash& hash) {
  const Shape shape = random_shape(random);
  const std::uint32_t groups = random.between(1, 2);
  const std::uint32_t filter_channels = random.between(1, 12), group_filters = random.between(1, 6);
  const std::uint32_t depth = groups * filter_channels, filters = groups * group_filters;
  fill(random, map, shape.height * shape.width * depth);
  set_channels(random, filters);
  const core::Range part{0, depth};
  const Convolution layer{shape.window, filter_channels, group_filters, {&part, 1}, channels, random_clamp(random)};
  const std::uint32_t taps = shape.window.kernel_height * shape.window.kernel_width;
  const std::uint32_t step = random.between(1, filter_channels);
  const bool in_pieces = random.between(0, 1) == 0;
  const std::uint32_t block = in_pieces ? 1 : random.between(1, filters);
  const std::uint32_t room = random.between(0, 1) == 0 ? random.between(least_scratch, 40) : 2048;
  for_each_band(random, shape, depth, {0, filters}, hash, [&](const Output& output, const Input& input) {
    for (std::uint32_t filter = 0; filter < filters; filter += block)
      for (std::uint32_t channel = 0; channel < filter_channels; channel += in_pieces ? step : filter_channels) {
        const core::Range piece{channel, in_pieces ? less(channel + step, filter_channels) : filter_channels};
        const core::Range chunk{filter, less(filter + block, filters)};
        fill(random, weights, chunk.size() * piece.size() * taps);
        convolve(layer, input, {chunk, piece, weights}, output, {scratch, room});
      }
  });
}

void depthwise_convolutions(Random& random, Hash& hash) {
  const Shape shape = random_shape(random);
  const std::uint32_t depth = random.between(1, 14);
  fill(random, map, shape.height * shape.width * depth);
  set_channels(random, depth);
  const Depthwise layer{shape.window, channels, random_clamp(random)};
  const std::uint32_t block = random.between(1, depth);
  const std::uint32_t room = least_scratch_of(layer) + random.between(0, 60);
  for_each_band(random, shape, depth, {0, depth}, hash, [&](const Output& output, const Input& input) {
    for (std::uint32_t filter = 0; filter < depth; filter += block) {
      const core::Range chunk{filter, less(filter + block, depth)};
      fill(random, weights, chunk.size() * shape.window.kernel_height * shape.window.kernel_width);
      convolve_depthwise(layer, input, {chunk, {0, 1}, weights}, output, {scratch, room});
    }
  });
}

void dense_layers(Random& random, Hash& hash) {
  const std::uint32_t inputs = random.between(1, 300), outputs = random.between(1, 12);
  fill(random, map, inputs);
  set_channels(random, outputs);
  const Dense layer{inputs, channels, random_clamp(random)};
  const std::uint32_t step = random.between(1, inputs);
  const Scatter scatter(random, 1, 1, inputs, {{0, inputs}, {0, 1}, {0, 1}});
  const Output output{{{0, outputs}, {0, 1}, {0, 1}}, values, sums};
  for (std::uint32_t first = 0; first < inputs; first += step) {
    const core::Range piece{first, less(first + step, inputs)};
    fill(random, weights, outputs * piece.size());
    multiply(layer, scatter.input(), {{0, outputs}, piece, weights}, output);
  }
  hash.add(values, outputs);
}

void max_pools(Random& random, Hash& hash) {
  const Shape shape = random_shape(random);
  const std::uint32_t depth = random.between(1, 40);
  fill(random, map, shape.height * shape.width * depth);
  const MaxPool layer{shape.window, random_clamp(random)};
  for_each_band(random, shape, depth, {0, depth}, hash,
                [&](const Output& output, const Input& input) { pool(layer, input, output); });
}

void average_pools(Random& random, Hash& hash) {
  Shape shape = random_shape(random);
  const std::uint32_t depth = random.between(1, 40);
  fill(random, map, shape.height * shape.width * depth);
  Rescale by_count[9];
  for (Rescale& rescale : by_count)
    rescale = random_rescale(random, 30, 35);
  const AveragePool layer{shape.window, random.between(0, 1) == 0, 0, 0, by_count, random_clamp(random)};
  for_each_band(random, shape, depth, {0, depth}, hash,
                [&](const Output& output, const Input& input) { pool(layer, input, output); });
}

void additions(Random& random, Hash& hash) {
  Shape shape;
  shape.height = shape.output_height = random.between(1, 6);
  shape.width = shape.output_width = random.between(1, 6);
  const std::uint32_t depth = random.between(1, 50);
  fill(random, map, shape.height * shape.width * depth);
  Rescale operands[3];
  for (Rescale& rescale : operands)
    rescale = random_rescale(random, 31, 34);
  const Addition layer{operands, random_rescale(random, 48, 54), random_clamp(random)};
  for_each_band(random, shape, depth, {0, depth}, hash, [&](const Output& output, const Input& input) {
    const Input inputs[3] = {input, input, input};
    add(layer, inputs, output);
  });
}

void copies(Random& random, Hash& hash) {
  Shape shape;
  shape.height = shape.output_height = random.between(1, 6);
  shape.width = shape.output_width = random.between(1, 6);
  const std::uint32_t depth = random.between(1, 50);
  fill(random, map, shape.height * shape.width * depth);
  for_each_band(random, shape, depth, {0, depth}, hash,
                [](const Output& output, const Input& input) { copy(input, output); });
}

/// Sums of all sizes, halves among them, and all shifts.
void requantizations(Random& random, Hash& hash) {
  for (int i = 0; i < 200; ++i) {
    const Rescale by = random_rescale(random, 1, 62);
    const std::uint32_t bits = random.next() << 8 ^ random.next();
    const std::int32_t sum = static_cast<std::int32_t>(bits) >> random.between(0, 31);
    const std::int32_t halves = static_cast<std::int32_t>(random.between(0, 200)) - 100;
    const std::int8_t numbers[2] = {
        Requantizer(by, random_clamp(random))(sum),
        Requantizer(by, {})(halves << (by.shift > 30 && by.shift < 56 ? by.shift - 31 : 0))};
    hash.add(numbers, sizeof(numbers));
  }
}

}  // namespace

void exercise(Digest (&results)[digests]) {
  constexpr struct {
    const char* name;
    void (*run)(Random&, Hash&);
  } kernels[digests] = {{"convolve", convolutions},
                        {"convolve_depthwise", depthwise_convolutions},
                        {"multiply", dense_layers},
                        {"pool, max", max_pools},
                        {"pool, average", average_pools},
                        {"add", additions},
                        {"copy", copies},
                        {"requantize", requantizations}};
  for (int i = 0; i < digests; ++i) {
    Random random(static_cast<std::uint32_t>(i) + 1);
    Hash hash;
    for (int repeat = 0; repeat < cases; ++repeat)
      kernels[i].run(random, hash);
    results[i] = {kernels[i].name, hash.value()};
  }
}

}  // namespace spillway::int8::test
