#include "random_case.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "hw/swap/image/operators.hpp"

namespace spillway::execution {
namespace {

using tiling::Random;

std::int8_t random_value(Random& random) {
  return static_cast<std::int8_t>(random.between(-127, 127));
}

/// What a clamp may be: none, ReLU, ReLU6.
int8::Clamp random_clamp(Random& random) {
  switch (random.between(0, 2)) {
    case 0:
      return {};
    case 1:
      return {0, 127};
    default:
      return {0, static_cast<std::int8_t>(random.between(20, 126))};
  }
}

}  // namespace

int8::Rescale rescale_by(double factor) {
  int exponent = 0;
  const double mantissa = std::frexp(factor, &exponent);  // [0.5, 1)
  auto multiplier = static_cast<std::int64_t>(std::llround(mantissa * (std::int64_t{1} << 31)));
  if (multiplier == std::int64_t{1} << 31) {
    multiplier /= 2;
    ++exponent;
  }
  return {static_cast<std::int32_t>(multiplier), static_cast<std::uint8_t>(31 - exponent)};
}

QuantizedNetwork quantized(const models::Network& network, const tiling::SwapPlan& plan, Random& random) {
  QuantizedNetwork made{network, plan.layer_nodes, operators_of(plan.view(), network, plan.layer_nodes), {}, {}, {},
                        {}};
  const std::size_t rows = made.rows.size();
  made.weights.resize(rows);
  made.channels.resize(rows);
  made.rescales.resize(rows);
  made.layers.resize(rows);
  for (std::size_t row = 0; row < rows; ++row) {
    const LayerOperator& layer_operator = made.operators[row];
    const models::Node& node = network.node(made.rows[row]);
    const std::uint32_t kernel =
        std::uint32_t{layer_operator.window.kernel_height} * layer_operator.window.kernel_width;
    QuantizedLayer& layer = made.layers[row];
    layer.clamp = random_clamp(random);
    switch (layer_operator.kernel) {
      case Kernel::convolution:
      case Kernel::depthwise:
      case Kernel::dense: {
        const std::size_t products = std::size_t{layer_operator.filter_channels} * kernel;
        made.weights[row].resize(products * static_cast<std::size_t>(node.output.channels));
        for (std::uint8_t& weight : made.weights[row])
          weight = static_cast<std::uint8_t>(random_value(random));
        const double spread = 127.0 / 2 / (73.0 * 73.0 * std::sqrt(static_cast<double>(products)));
        for (std::int64_t channel = 0; channel < node.output.channels; ++channel) {
          made.channels[row].push_back({static_cast<std::int32_t>(random.between(-20'000, 20'000)),
                                        rescale_by(spread * static_cast<double>(random.between(50, 200)) / 100)});
        }
        break;
      }
      case Kernel::average_pool:
        for (std::uint32_t count = 1; count <= kernel; ++count)
          made.rescales[row].push_back(rescale_by(1.3 / count));
        break;
      case Kernel::addition:
        for (std::size_t operand = 0; operand < node.inputs.size(); ++operand)
          made.rescales[row].push_back(rescale_by(static_cast<double>(random.between(10, 99)) / 100));
        layer.result = rescale_by(static_cast<double>(random.between(30, 150)) / 100 / (1 << int8::addition_shift));
        break;
      case Kernel::max_pool:
        break;
    }
    layer.channels = made.channels[row].data();
    layer.rescales = made.rescales[row];
  }
  return made;
}

std::vector<std::int8_t> random_input(const models::Network& network, Random& random) {
  std::vector<std::int8_t> values(static_cast<std::size_t>(network.node(0).output.elements()));
  for (std::int8_t& value : values)
    value = random_value(random);
  return values;
}

bool is_executable(const models::Network& network, const tiling::SwapPlan& plan) {
  try {
    operators_of(plan.view(), network, plan.layer_nodes);
    return true;
  } catch (const NotExecutable&) {
    return false;
  }
}

std::optional<tiling::SwapPlan> random_plan(const models::Network& network, tiling::Rule rule, Random& random,
                                            models::ElementType element) {
  tiling::Request request;
  request.element = element;
  request.buffer_bytes = 512U * static_cast<std::uint64_t>(random.between(1, 6));
  request.sram_bytes = request.buffer_bytes * static_cast<std::uint64_t>(random.between(4, 28));
  request.rule = rule;
  request.frames = static_cast<std::uint32_t>(random.between(1, 3));
  request.window = static_cast<std::uint32_t>(random.between(1, request.frames));
  try {
    return tiling::make_plan(network, request);
  } catch (const tiling::Infeasible&) {
    return {};
  } catch (const tiling::Unsupported&) {
    return {};
  }
}

std::string to_text(const models::Network& network, const tiling::SwapPlan& plan) {
  std::string text =
      fmt::format("{}, buffers of {}, SRAM {}, frames {}, window {}", to_string(plan.request.rule),
                  plan.request.buffer_bytes, plan.request.sram_bytes, plan.request.frames, plan.request.window);
  for (const models::Node& node : network.nodes()) {
    text += fmt::format("\n  {} {} {}", node.name, models::to_string(node.op), models::to_string(node.output));
    for (const models::NodeId from : node.inputs)
      text += " < " + network.node(from).name;
    const models::Window& window = node.window;
    text +=
        fmt::format(" kernel {}x{} stride {}x{} pad {},{},{},{} dilation {}x{} groups {}", window.kernel_height,
                    window.kernel_width, window.stride_height, window.stride_width, window.pad_top, window.pad_left,
                    window.pad_bottom, window.pad_right, window.dilation_height, window.dilation_width, node.groups);
  }
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    const core::Layer& layer = plan.layers[row];
    text += fmt::format(
        "\n  row {} {}: tiles of {}x{}x{}, blocks of {}, chunks {} of {} in {} pieces, pins {} {}, input buffers {}, "
        "parts {}",
        row, plan.layer_names[row], layer.tile_channels, layer.tile_height, layer.tile_width, layer.plane_channels,
        layer.chunks, layer.chunk_filters, layer.pieces, layer.weight_pins, layer.output_pins, layer.input_buffers,
        layer.parts);
  }
  return text;
}

}  // namespace spillway::execution
