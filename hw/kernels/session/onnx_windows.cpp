// Operators with a window, and normalizations.
#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "hw/kernels/session/onnx_node.hpp"

namespace spillway::kernels::onnx_nodes {
namespace {

using models::onnx_file::text_of;

/// One axis of a window.
struct Axis {
  std::int64_t input = 1, kernel = 1, stride = 1, dilation = 1, before = 0, after = 0;

  std::int64_t span() const { return (kernel - 1) * dilation + 1; }
};

/// A map of one or two axes behind batch and channels; of one, it is a map of height 1.
struct Windowed {
  std::int64_t batch = 1;
  std::int64_t channels = 1;
  Axis height, width;
  std::size_t axes = 2;
  bool ceil_mode = false;
};

std::vector<std::int64_t> list(Node& node, std::string_view name, std::size_t count, std::int64_t otherwise) {
  std::vector<std::int64_t> numbers =
      node.attributes.integers(name).value_or(std::vector<std::int64_t>(count, otherwise));
  if (numbers.size() != count)
    throw Refusal(fmt::format("attribute {} has {} numbers; expected {}", name, numbers.size(), count));
  return numbers;
}

void check_positive(const Axis& axis) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  for (const std::int64_t number : {axis.kernel, axis.stride, axis.dilation})
    if (number < 1 || number > most)
      throw Refusal(fmt::format("a kernel, stride or dilation of {}; expected 1 or more", number));
  for (const std::int64_t number : {axis.before, axis.after})
    if (number < 0 || number > most) throw Refusal(fmt::format("a padding of {}; expected 0 or more", number));
}

Windowed read_map(const Extents& extents) {
  if (extents.size() != 3 && extents.size() != 4)
    throw Refusal(fmt::format("a map of {}; expected batch, channels and one or two axes", text_of(extents)));
  Windowed map;
  map.axes = extents.size() - 2;
  map.batch = extents[0];
  map.channels = extents[1];
  map.width.input = extents.back();
  if (map.axes == 2) map.height.input = extents[2];
  return map;
}

/// Kernel, strides, dilations and pads; `kernel` where the filters say it.
Windowed read_window(Node& node, const Extents& extents, std::optional<std::vector<std::int64_t>> kernel) {
  Windowed map = read_map(extents);
  const std::optional<std::vector<std::int64_t>> given = node.attributes.integers("kernel_shape");
  if (!kernel) kernel = given;
  if (!kernel || kernel->size() != map.axes || (given && *given != *kernel))
    throw Refusal(fmt::format("kernel_shape does not fit a map of {}", text_of(extents)));
  const std::vector<std::int64_t> strides = list(node, "strides", map.axes, 1);
  const std::vector<std::int64_t> dilations = list(node, "dilations", map.axes, 1);
  const std::vector<std::int64_t> pads = list(node, "pads", 2 * map.axes, 0);
  for (std::size_t position = 0; position < map.axes; ++position) {
    Axis& axis = position + 1 == map.axes ? map.width : map.height;
    axis.kernel = (*kernel)[position];
    axis.stride = strides[position];
    axis.dilation = dilations[position];
    axis.before = pads[position];
    axis.after = pads[position + map.axes];
    check_positive(axis);
  }
  return map;
}

/// Pads of auto_pad, where it is given.
void pad_automatically(Node& node, Windowed& map) {
  const std::string kind = node.attributes.text("auto_pad").value_or("NOTSET");
  if (kind == "NOTSET") return;
  if (kind != "SAME_UPPER" && kind != "SAME_LOWER" && kind != "VALID")
    throw Refusal(fmt::format("auto_pad {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", kind));
  for (Axis* axis : {&map.height, &map.width}) {
    const std::int64_t output = (axis->input + axis->stride - 1) / axis->stride;
    const std::int64_t all =
        kind == "VALID" ? 0 : std::max<std::int64_t>(0, (output - 1) * axis->stride + axis->span() - axis->input);
    axis->before = kind == "SAME_LOWER" ? all - all / 2 : all / 2;
    axis->after = all - axis->before;
  }
}

std::int64_t output_of(const Axis& axis, bool ceil_mode) {
  const std::int64_t room = axis.input + axis.before + axis.after - axis.span();
  if (room < 0)
    throw Refusal(fmt::format("a window of {} over {} elements with padding {} and {}; expected one that fits",
                              axis.span(), axis.input, axis.before, axis.after));
  return (ceil_mode ? room + axis.stride - 1 : room) / axis.stride + 1;
}

Window window_of(const Windowed& map) {
  return {map.height.kernel,   map.width.kernel,   map.height.stride, map.width.stride,
          map.height.dilation, map.width.dilation, map.height.before, map.width.before};
}

Map input_of(const Windowed& map) {
  return {map.channels, map.height.input, map.width.input};
}

Extents extents_of(const Windowed& map, const Map& output) {
  Extents extents = {map.batch, output.channels};
  if (map.axes == 2) extents.push_back(output.height);
  extents.push_back(output.width);
  return extents;
}

std::vector<std::int64_t> kernel_of(const Extents& filters, const Extents& input) {
  if (filters.size() != input.size())
    throw Refusal(
        fmt::format("filters of {} over a map of {}; expected as many extents", text_of(filters), text_of(input)));
  return {filters.begin() + 2, filters.end()};
}

void check_vector(Node& node, int input, std::int64_t expected) {
  if (node.extents(input) != Extents{expected})
    throw Refusal(fmt::format("input {} is {}; expected {}", input, text_of(node.extents(input)), expected));
}

/// y = scale x + shift with the scale and shift that the statistics give; computed where they are.
std::array<ValueId, 2> folded(Node& node, float epsilon, std::int64_t channels) {
  const Extents vector = {channels};
  std::array<std::optional<std::span<const float>>, 4> known;
  for (int input = 0; input < 4; ++input)
    known[static_cast<std::size_t>(input)] = node.numbers(input + 1);
  if (std::ranges::all_of(known, [](const auto& numbers) { return numbers.has_value(); })) {
    std::vector<float> scale, shift;
    for (std::size_t channel = 0; channel < known[0]->size(); ++channel) {
      const double deviation = std::sqrt(static_cast<double>((*known[3])[channel]) + static_cast<double>(epsilon));
      const double factor = static_cast<double>((*known[0])[channel]) / deviation;
      scale.push_back(static_cast<float>(factor));
      shift.push_back(static_cast<float>(static_cast<double>((*known[1])[channel]) -
                                         static_cast<double>((*known[2])[channel]) * factor));
    }
    return {node.constant(vector, std::move(scale)), node.constant(vector, std::move(shift))};
  }
  const auto combine = [&](Operation operation, ValueId a, ValueId b, Function function = Function::none) {
    return node.intermediate(Elementwise{node.layer(), operation, vector, {{}, {}}, {function, 0, 0}}, {a, b}, vector);
  };
  const std::vector<float> epsilons(static_cast<std::size_t>(channels), epsilon);
  const ValueId deviation =
      combine(Operation::add, node.value(4), node.constant(vector, epsilons), Function::square_root);
  const ValueId scale = combine(Operation::divide, node.value(1), deviation);
  const ValueId moved = combine(Operation::multiply, node.value(3), scale);
  return {scale, combine(Operation::subtract, node.value(2), moved)};
}

}  // namespace

void read_convolution(Node& node) {
  const Extents &input = node.extents(0), &filters = node.extents(1);
  Windowed map = read_window(node, input, kernel_of(filters, input));
  pad_automatically(node, map);
  const std::int64_t groups = node.attributes.integer("group").value_or(1);
  if (groups < 1 || map.channels != filters[1] * groups || filters[0] % groups != 0)
    throw Refusal(fmt::format("filters of {} in {} groups over a map of {}", text_of(filters), groups, text_of(input)));
  if (node.has(2)) check_vector(node, 2, filters[0]);
  const Map output = {filters[0], output_of(map.height, false), output_of(map.width, false)};
  node.step(Convolution{node.layer(), map.batch, groups, input_of(map), output, window_of(map), {}},
            {node.value(0), node.value(1), node.has(2) ? node.value(2) : no_value, no_value, no_value, no_value},
            extents_of(map, output));
}

void read_transposed_convolution(Node& node) {
  const Extents &input = node.extents(0), &filters = node.extents(1);
  Windowed map = read_window(node, input, kernel_of(filters, input));
  const std::int64_t groups = node.attributes.integer("group").value_or(1);
  if (groups < 1 || map.channels != filters[0] || map.channels % groups != 0)
    throw Refusal(fmt::format("filters of {} in {} groups over a map of {}", text_of(filters), groups, text_of(input)));
  if (node.has(2)) check_vector(node, 2, filters[1] * groups);
  const std::vector<std::int64_t> extra = list(node, "output_padding", map.axes, 0);
  const std::optional<std::vector<std::int64_t>> wanted = node.attributes.integers("output_shape");
  const std::string kind = node.attributes.text("auto_pad").value_or("NOTSET");
  if (kind != "NOTSET" && kind != "SAME_UPPER" && kind != "SAME_LOWER" && kind != "VALID")
    throw Refusal(fmt::format("auto_pad {}; expected NOTSET, SAME_UPPER, SAME_LOWER or VALID", kind));
  if (wanted && wanted->size() < map.axes) throw Refusal("output_shape has too few extents");
  const bool same = kind == "SAME_UPPER" || kind == "SAME_LOWER";
  Map output = {filters[1] * groups, 1, 1};
  for (std::size_t position = 0; position < map.axes; ++position) {
    const bool last = position + 1 == map.axes;
    Axis& axis = last ? map.width : map.height;
    const std::int64_t full = axis.stride * (axis.input - 1) + extra[position] + axis.span();
    std::int64_t extent = full - axis.before - axis.after;
    if (wanted || same) {
      extent = wanted ? (*wanted)[wanted->size() - map.axes + position] : axis.input * axis.stride;
      const std::int64_t all = std::max<std::int64_t>(0, full - extent);
      axis.before = kind == "SAME_UPPER" ? all / 2 : all - all / 2;
    }
    if (extent < 1) throw Refusal(fmt::format("an output of {} elements on an axis; expected 1 or more", extent));
    (last ? output.width : output.height) = extent;
  }
  node.step(TransposedConvolution{node.layer(), map.batch, groups, input_of(map), output, window_of(map), {}},
            {node.value(0), node.value(1), node.has(2) ? node.value(2) : no_value}, extents_of(map, output));
}

void read_pool(Node& node) {
  node.only_first_output();
  const bool is_max = node.type() == "MaxPool";
  Windowed map = read_window(node, node.extents(0), std::nullopt);
  pad_automatically(node, map);
  const bool ceil_mode = node.attributes.integer("ceil_mode").value_or(0) != 0;
  node.attributes.without_effect("storage_order");  // of the second output
  const bool padded = !is_max && node.attributes.integer("count_include_pad").value_or(0) != 0;
  const Map output = {map.channels, output_of(map.height, ceil_mode), output_of(map.width, ceil_mode)};
  const PoolKind kind = is_max ? PoolKind::max : padded ? PoolKind::average_padded : PoolKind::average;
  node.step(
      Pool{node.layer(), map.batch, kind, input_of(map), output, window_of(map), map.height.after, map.width.after},
      {node.value(0)}, extents_of(map, output));
}

void read_global_pool(Node& node) {
  const Windowed map = read_map(node.extents(0));
  const PoolKind kind = node.type() == "GlobalMaxPool" ? PoolKind::max : PoolKind::average;
  const Window window = {map.height.input, map.width.input, 1, 1, 1, 1, 0, 0};
  const Map output = {map.channels, 1, 1};
  node.step(Pool{node.layer(), map.batch, kind, input_of(map), output, window, 0, 0}, {node.value(0)},
            extents_of(map, output));
}

void read_normalization(Node& node) {
  const Extents& extents = node.extents(0);
  if (extents.size() < 2) throw Refusal(fmt::format("a map of {}; expected batch and channels", text_of(extents)));
  node.attributes.expect("spatial", 1);
  node.attributes.expect("training_mode", 0);
  node.attributes.without_effect("momentum");
  node.attributes.without_effect("consumed_inputs");
  if (node.opset() < 7 && node.attributes.integer("is_test").value_or(0) == 0)
    throw Refusal("is_test is 0, which is training; expected 1");
  node.only_first_output();
  for (int input = 1; input <= 4; ++input)
    check_vector(node, input, extents[1]);
  const float epsilon = node.attributes.number("epsilon").value_or(1e-5F);
  const auto [scale, shift] = folded(node, epsilon, extents[1]);
  const Map map = {extents[1], 1, elements_of(std::span(extents).subspan(2))};
  node.step(Normalization{node.layer(), extents[0], map, {}}, {node.value(0), scale, shift}, extents);
}

void read_instance_normalization(Node& node) {
  const Extents& extents = node.extents(0);
  if (extents.size() < 3)
    throw Refusal(fmt::format("a map of {}; expected batch, channels and axes", text_of(extents)));
  node.attributes.without_effect("consumed_inputs");
  check_vector(node, 1, extents[1]);
  check_vector(node, 2, extents[1]);
  const float epsilon = node.attributes.number("epsilon").value_or(1e-5F);
  const Map map = {extents[1], 1, elements_of(std::span(extents).subspan(2))};
  node.step(InstanceNormalization{node.layer(), extents[0], map, epsilon},
            {node.value(0), node.value(1), node.value(2)}, extents);
}

void read_local_response_normalization(Node& node) {
  const Extents& extents = node.extents(0);
  if (extents.size() < 3)
    throw Refusal(fmt::format("a map of {}; expected batch, channels and axes", text_of(extents)));
  const std::int64_t size = node.attributes.integer("size").value_or(0);
  if (size < 1) throw Refusal(fmt::format("size {}; expected 1 or more", size));
  const Map map = {extents[1], 1, elements_of(std::span(extents).subspan(2))};
  node.step(
      LocalResponseNormalization{node.layer(), extents[0], map, size, node.attributes.number("alpha").value_or(1e-4F),
                                 node.attributes.number("beta").value_or(0.75F),
                                 node.attributes.number("bias").value_or(1)},
      {node.value(0)}, extents);
}

}  // namespace spillway::kernels::onnx_nodes
