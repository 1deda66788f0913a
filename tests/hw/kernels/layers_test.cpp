// Layers against their definition in plain loops, and what holds of every call: the same bits for any number of
// threads, nothing written outside, progress from the calling thread.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <random>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "hw/kernels/run.hpp"

namespace spillway::kernels {
namespace {

using Random = std::mt19937;

std::int64_t between(Random& random, std::int64_t least, std::int64_t most) {
  return least + static_cast<std::int64_t>(random() % static_cast<std::uint32_t>(most - least + 1));
}

std::vector<float> numbers(Random& random, std::int64_t count) {
  std::vector<float> made(static_cast<std::size_t>(count));
  for (float& number : made)
    number = static_cast<float>(static_cast<std::int32_t>(random() % 2001) - 1000) / 1000;
  return made;
}

struct Axis {
  std::int64_t input, kernel, stride, dilation, before, after, output;
};

Axis random_axis(Random& random) {
  Axis axis{};
  do {
    axis.input = between(random, 1, 20);
    axis.kernel = between(random, 1, 5);
    axis.stride = between(random, 1, 3);
    axis.dilation = between(random, 1, 2);
    axis.before = between(random, 0, axis.kernel - 1);
    axis.after = between(random, 0, axis.kernel - 1);
    const std::int64_t room = axis.input + axis.before + axis.after - (axis.kernel - 1) * axis.dilation - 1;
    axis.output = room < 0 ? 0 : room / axis.stride + 1;
  } while (axis.output < 1);
  return axis;
}

Window window_of(const Axis& height, const Axis& width) {
  return {height.kernel,   width.kernel,   height.stride, width.stride,
          height.dilation, width.dilation, height.before, width.before};
}

Convolution random_convolution(Random& random) {
  const Axis height = random_axis(random), width = random_axis(random);
  Convolution layer;
  layer.batch = between(random, 1, 2);
  const std::int64_t kind = between(random, 0, 2);  // dense, grouped, depthwise
  layer.groups = kind == 0 ? 1 : between(random, 2, 4);
  const std::int64_t channels = kind == 2 ? 1 : between(random, 1, 9);
  layer.input = {layer.groups * channels, height.input, width.input};
  layer.output = {layer.groups * between(random, 1, kind == 2 ? 2 : 70), height.output, width.output};
  layer.window = window_of(height, width);
  const Activation activations[] = {
      {Function::none, 0, 0}, {Function::relu, 0, 0}, {Function::clip, -0.5F, 0.5F}, {Function::leaky_relu, 0.1F, 0}};
  layer.activation = activations[between(random, 0, 3)];
  return layer;
}

double activated(const Activation& activation, double x) {
  if (activation.function == Function::relu) return std::max(x, 0.0);
  if (activation.function == Function::leaky_relu) return x < 0 ? static_cast<double>(activation.a) * x : x;
  if (activation.function == Function::clip)
    return std::clamp(x, static_cast<double>(activation.a), static_cast<double>(activation.b));
  return x;
}

std::vector<double> convolve(const Convolution& layer, const std::vector<float>& input,
                             const ConvolutionWeights& weights, const float* residual) {
  const Window& window = layer.window;
  const std::int64_t channels = layer.input.channels / layer.groups, filters = layer.output.channels / layer.groups;
  std::vector<double> output;
  for (std::int64_t frame = 0; frame < layer.batch; ++frame)
    for (std::int64_t filter = 0; filter < layer.output.channels; ++filter)
      for (std::int64_t y = 0; y < layer.output.height; ++y)
        for (std::int64_t x = 0; x < layer.output.width; ++x) {
          double sum = 0;
          for (std::int64_t channel = 0; channel < channels; ++channel)
            for (std::int64_t i = 0; i < window.kernel_height; ++i)
              for (std::int64_t j = 0; j < window.kernel_width; ++j) {
                const std::int64_t row = y * window.stride_height + i * window.dilation_height - window.pad_top;
                const std::int64_t column = x * window.stride_width + j * window.dilation_width - window.pad_left;
                if (row < 0 || row >= layer.input.height || column < 0 || column >= layer.input.width) continue;
                const std::int64_t map = frame * layer.input.channels + filter / filters * channels + channel;
                sum += static_cast<double>(input[static_cast<std::size_t>(
                           (map * layer.input.height + row) * layer.input.width + column)]) *
                       static_cast<double>(weights.filters[((filter * channels + channel) * window.kernel_height + i) *
                                                               window.kernel_width +
                                                           j]);
              }
          if (weights.bias != nullptr) sum += static_cast<double>(weights.bias[filter]);
          if (weights.scale != nullptr)
            sum = sum * static_cast<double>(weights.scale[filter]) + static_cast<double>(weights.shift[filter]);
          if (residual != nullptr) sum += static_cast<double>(residual[output.size()]);
          output.push_back(activated(layer.activation, sum));
        }
  return output;
}

/// Scratch memory with a margin behind it that no call may touch.
class Scratch {
 public:
  explicit Scratch(std::size_t bytes) : bytes_(bytes), memory_(bytes + margin + 64, std::byte{0xA5}) {}

  void* begin() {
    const std::size_t address = reinterpret_cast<std::size_t>(memory_.data());
    return memory_.data() + (64 - address % 64) % 64;
  }

  bool intact() {
    const std::byte* const end = static_cast<std::byte*>(begin()) + bytes_;
    return std::all_of(end, end + margin, [](std::byte byte) { return byte == std::byte{0xA5}; });
  }

 private:
  static constexpr std::size_t margin = 4096;
  std::size_t bytes_;
  std::vector<std::byte> memory_;
};

struct Calls {
  std::thread::id caller = std::this_thread::get_id();
  std::int64_t count = 0;
  bool foreign = false;
};

void note_progress(void* argument) {
  Calls& calls = *static_cast<Calls*>(argument);
  ++calls.count;
  calls.foreign = calls.foreign || std::this_thread::get_id() != calls.caller;
}

TEST(Layers, ConvolutionsAreWhatTheyAreDefinedAs) {
  Random random(1);
  int depthwise = 0, several_blocks = 0, fused = 0;
  for (int round = 0; round < 300; ++round) {
    const Convolution layer = random_convolution(random);
    const std::int64_t filter_elements = layer.output.channels * layer.input.channels / layer.groups *
                                         layer.window.kernel_height * layer.window.kernel_width;
    const std::vector<float> input = numbers(random, layer.batch * layer.input.elements());
    const std::vector<float> filters = numbers(random, filter_elements);
    const std::vector<float> bias = numbers(random, layer.output.channels);
    const std::vector<float> scale = numbers(random, layer.output.channels);
    const std::vector<float> shift = numbers(random, layer.output.channels);
    const std::vector<float> residual = numbers(random, layer.batch * layer.output.elements());
    ConvolutionWeights weights{filters.data(), nullptr, nullptr, nullptr};
    if (random() % 2 == 0) weights.bias = bias.data();
    const bool normalizes = random() % 2 == 0, adds = random() % 2 == 0;
    if (normalizes) {
      weights.scale = scale.data();
      weights.shift = shift.data();
    }
    const float* const added = adds ? residual.data() : nullptr;
    depthwise += layer.groups > 1 && layer.groups == layer.input.channels;
    several_blocks += blocks(layer) > layer.batch * layer.groups;
    fused += normalizes && adds;

    const std::vector<double> expected = convolve(layer, input, weights, added);
    std::vector<float> first;
    for (const int threads : {1, 2, 3}) {
      std::vector<float> output(expected.size() + 16, 7);
      Scratch scratch(scratch_bytes(layer, threads));
      Calls calls;
      run(layer, input.data(), weights, added, output.data(), {threads, scratch.begin(), note_progress, &calls});
      ASSERT_TRUE(scratch.intact()) << round;
      ASSERT_FALSE(calls.foreign) << round;
      ASSERT_LE(calls.count, blocks(layer)) << round;
      if (threads == 1) {
        ASSERT_EQ(calls.count, blocks(layer)) << round;
        for (std::size_t i = 0; i < expected.size(); ++i)
          ASSERT_NEAR(static_cast<double>(output[i]), expected[i], 1e-4) << round << " at " << i;
        first = output;
      }
      ASSERT_EQ(output, first) << round << " with " << threads << " threads";
      ASSERT_TRUE(std::all_of(output.end() - 16, output.end(), [](float number) { return number == 7; })) << round;
    }
  }
  EXPECT_GT(depthwise, 50);
  EXPECT_GT(several_blocks, 50);
  EXPECT_GT(fused, 50);
}

TEST(Layers, LargeMapsAreCutIntoBlocksThatThreadsShare) {
  Random random(2);
  Convolution layer;
  layer.input = {3, 70, 70};
  layer.output = {40, 70, 70};
  layer.window = {3, 3, 1, 1, 1, 1, 1, 1};
  EXPECT_GT(blocks(layer), 3);
  const std::vector<float> input = numbers(random, layer.input.elements());
  const std::vector<float> filters = numbers(random, std::int64_t{40} * 27);
  const std::vector<double> expected = convolve(layer, input, {filters.data(), nullptr, nullptr, nullptr}, nullptr);
  for (const int threads : {1, 2, 5}) {
    std::vector<float> output(expected.size());
    Scratch scratch(scratch_bytes(layer, threads));
    run(layer, input.data(), {filters.data(), nullptr, nullptr, nullptr}, nullptr, output.data(),
        {threads, scratch.begin(), nullptr, nullptr});
    for (std::size_t i = 0; i < expected.size(); ++i)
      ASSERT_NEAR(static_cast<double>(output[i]), expected[i], 1e-4) << i;
  }
}

TEST(Layers, PoolingsAreWhatTheyAreDefinedAs) {
  Random random(3);
  for (int round = 0; round < 300; ++round) {
    const Axis height = random_axis(random), width = random_axis(random);
    const PoolKind kinds[] = {PoolKind::max, PoolKind::average, PoolKind::average_padded};
    const Pool layer{0,
                     1,
                     kinds[round % 3],
                     {3, height.input, width.input},
                     {3, height.output, width.output},
                     window_of(height, width),
                     height.after,
                     width.after};
    const std::vector<float> input = numbers(random, layer.input.elements());
    std::vector<float> output(static_cast<std::size_t>(layer.output.elements()));
    Scratch scratch(scratch_bytes(layer, 2));
    run(layer, input.data(), output.data(), {2, scratch.begin(), nullptr, nullptr});
    ASSERT_TRUE(scratch.intact()) << round;
    std::size_t at = 0;
    for (std::int64_t channel = 0; channel < 3; ++channel)
      for (std::int64_t y = 0; y < height.output; ++y)
        for (std::int64_t x = 0; x < width.output; ++x, ++at) {
          double sum = 0, largest = -INFINITY;
          int inside = 0;
          for (std::int64_t i = 0; i < height.kernel; ++i)
            for (std::int64_t j = 0; j < width.kernel; ++j) {
              const std::int64_t row = y * height.stride + i * height.dilation - height.before;
              const std::int64_t column = x * width.stride + j * width.dilation - width.before;
              if (row < 0 || row >= height.input || column < 0 || column >= width.input) continue;
              const double number = static_cast<double>(
                  input[static_cast<std::size_t>((channel * height.input + row) * width.input + column)]);
              sum += number;
              largest = std::max(largest, number);
              ++inside;
            }
          const double all = layer.kind == PoolKind::average_padded ? static_cast<double>(height.kernel * width.kernel)
                                                                    : static_cast<double>(inside);
          if (inside == 0) continue;  // a window in the gaps of a dilation and the padding: no mean, no maximum
          ASSERT_NEAR(static_cast<double>(output[at]), layer.kind == PoolKind::max ? largest : sum / all, 1e-5)
              << round;
        }
  }
}

TEST(Layers, DenseLayersAddTheSameWayForAnyThreads) {
  Random random(4);
  const Dense layer{0, 2, 1003, 130, {Function::relu, 0, 0}};
  const std::vector<float> input = numbers(random, 2 * 1003), weights = numbers(random, std::int64_t{1003} * 130);
  const std::vector<float> bias = numbers(random, 130);
  std::vector<float> first;
  for (const int threads : {1, 2, 4}) {
    std::vector<float> output(2 * 130);
    run(layer, input.data(), DenseWeights{weights.data(), bias.data()}, output.data(),
        {threads, nullptr, nullptr, nullptr});
    if (first.empty()) first = output;
    EXPECT_EQ(output, first) << threads;
  }
  for (std::size_t frame = 0; frame < 2; ++frame)
    for (std::size_t number = 0; number < 130; ++number) {
      double sum = static_cast<double>(bias[number]);
      for (std::size_t i = 0; i < 1003; ++i)
        sum += static_cast<double>(weights[number * 1003 + i]) * static_cast<double>(input[frame * 1003 + i]);
      EXPECT_NEAR(static_cast<double>(first[frame * 130 + number]), std::max(sum, 0.0), 1e-4);
    }
}

}  // namespace
}  // namespace spillway::kernels
