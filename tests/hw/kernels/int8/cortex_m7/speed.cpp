// Instructions and multiply-accumulates of layers of usual sizes, one a line.
#include "machine.hpp"

#include "hw/kernels/int8/run.hpp"

namespace {

using namespace spillway;

// Of maps and weights the numbers do not matter here.
std::int8_t map[18 * 18 * 64], weights[128 * 1024], values[16 * 16 * 64];
std::int32_t sums[1];
int8::OutputChannel channels[128];
alignas(4) std::int16_t scratch[8192];

constexpr core::Region box(std::uint32_t depth, std::uint32_t height, std::uint32_t width) {
  return {{0, depth}, {0, height}, {0, width}};
}

template <typename Run>
void measure(const char* name, std::uint32_t macs, Run run) {
  const std::uint32_t begin = cortex_m7::ticks();
  run();
  const std::uint32_t end = cortex_m7::ticks();
  cortex_m7::print(cortex_m7::instructions(begin, end));
  cortex_m7::print(" ");
  cortex_m7::print(macs);
  cortex_m7::print(" ");
  cortex_m7::print(name);
  cortex_m7::print("\n");
}

struct Sizes {
  std::uint32_t size, inputs, outputs;
};

int8::Patch whole(const std::int8_t* const& bytes, std::uint32_t depth, std::uint32_t size) {
  return {box(depth, size, size), {&bytes, sizeof(map)}, 0};
}

void convolution(const char* name, std::uint16_t kernel, Sizes of) {
  const std::int8_t* bytes = map;
  const int8::Patch patch = whole(bytes, of.inputs, of.size);
  const int8::Input input{of.size, of.size, {&patch, 1}};
  const core::Range part{0, of.inputs};
  int8::Convolution layer;
  layer.window.kernel_height = layer.window.kernel_width = kernel;
  layer.filter_channels = of.inputs;
  layer.group_filters = of.outputs;
  layer.parts = {&part, 1};
  layer.channels = channels;
  const std::uint32_t result = of.size - kernel + 1U;
  const int8::Output output{box(of.outputs, result, result), values, sums};
  measure(name, result * result * of.outputs * of.inputs * kernel * kernel, [&] {
    int8::convolve(layer, input, {{0, of.outputs}, {0, of.inputs}, weights}, output, scratch);
  });
}

void depthwise(const char* name, Sizes of) {
  const std::int8_t* bytes = map;
  const int8::Patch patch = whole(bytes, of.inputs, of.size);
  const int8::Input input{of.size, of.size, {&patch, 1}};
  int8::Depthwise layer;
  layer.window.kernel_height = layer.window.kernel_width = 3;
  layer.channels = channels;
  const std::uint32_t result = of.size - 2;
  const int8::Output output{box(of.inputs, result, result), values, sums};
  measure(name, result * result * of.inputs * 9, [&] {
    int8::convolve_depthwise(layer, input, {{0, of.inputs}, {0, 1}, weights}, output, scratch);
  });
}

void dense(const char* name, Sizes of) {
  const std::int8_t* bytes = map;
  const int8::Patch patch{box(of.inputs, 1, 1), {&bytes, sizeof(map)}, 0};
  const int8::Input input{1, 1, {&patch, 1}};
  const int8::Dense layer{of.inputs, channels, {}};
  const int8::Output output{box(of.outputs, 1, 1), values, sums};
  measure(name, of.inputs * of.outputs, [&] {
    int8::multiply(layer, input, {{0, of.outputs}, {0, of.inputs}, weights}, output);
  });
}

}  // namespace

int main() {
  std::uint32_t state = 1;
  const auto next = [&state] { return static_cast<std::int8_t>((state = state * 1664525 + 1013904223) >> 24); };
  for (std::int8_t& number : map)
    number = next();
  for (std::int8_t& number : weights)
    number = next();
  for (int8::OutputChannel& channel : channels)
    channel = {100 * next(), {1518500250, 40}};
  cortex_m7::start_clock();
  convolution("conv3x3_16_16", 3, {16, 16, 16});
  convolution("conv3x3_32_32", 3, {16, 32, 32});
  convolution("conv3x3_3_16", 3, {18, 3, 16});
  convolution("conv1x1_64_64", 1, {16, 64, 64});
  convolution("conv1x1_16_64", 1, {16, 16, 64});
  depthwise("depthwise3x3_32", {18, 32, 32});
  dense("dense_1024_128", {1, 1024, 128});
  return 0;
}
