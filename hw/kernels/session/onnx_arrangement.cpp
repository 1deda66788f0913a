// Shapes, constants, and numbers that move without changing.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "hw/kernels/session/onnx_node.hpp"

namespace spillway::kernels::onnx_nodes {
namespace {

using models::onnx_file::text_of;

/// Axes of an attribute or, in later operator sets, of the second input.
std::vector<std::int64_t> axes_of(Node& node) {
  if (node.has(1)) return node.integers(1);
  return node.attributes.integers("axes").value_or(std::vector<std::int64_t>());
}

/// Integers as they are, or a Rearrangement.
void rearrange(Node& node, Extents extents, Extents strides, std::int64_t offset, int output = 0) {
  if (node.is_integer(0)) {
    std::vector<std::int64_t> moved;
    for (std::int64_t element = 0; element < elements_of(extents); ++element) {
      std::int64_t rest = element, from = offset;
      for (std::size_t axis = extents.size(); axis-- > 0;) {
        from += rest % extents[axis] * strides[axis];
        rest /= extents[axis];
      }
      moved.push_back(node.integers(0)[static_cast<std::size_t>(from)]);
    }
    return node.define({no_value, std::move(extents), std::move(moved)}, output);
  }
  Rearrangement layer{node.layer(), extents, std::move(strides), offset};
  node.step(std::move(layer), {node.value(0)}, std::move(extents), output);
}

}  // namespace

void read_as_it_is(Node& node) {
  node.view(0, node.extents(0));
}

void read_dropout(Node& node) {
  for (const char* name : {"ratio", "seed", "consumed_inputs"})
    node.attributes.without_effect(name);
  bool training = node.opset() < 7 && node.attributes.integer("is_test").value_or(0) == 0;
  if (node.has(2)) training = node.integers(2) != std::vector<std::int64_t>{0};
  if (training) throw Refusal("in training mode; expected inference");
  node.only_first_output();
  node.view(0, node.extents(0));
}

void read_cast(Node& node) {
  const bool to_float = node.attributes.integer("to").value_or(0) == onnx::TensorProto::FLOAT;
  if (to_float == node.is_integer(0))
    throw Refusal("between integers and float32; expected float32 to itself, or integers to integers");
  node.view(0, node.extents(0));
}

void read_constant(Node& node) {
  if (const onnx::TensorProto* const tensor = node.attributes.tensor("value")) {
    models::onnx_file::check_tensor(*tensor, {});
    return node.define_stored(
        {{tensor->dims().begin(), tensor->dims().end()}, tensor->data_type(), tensor, std::nullopt, std::nullopt});
  }
  if (const auto number = node.attributes.number("value_float"))
    return node.define({node.constant({}, {*number}), {}, std::nullopt});
  if (auto numbers = node.attributes.numbers("value_floats")) {
    const Extents extents = {static_cast<std::int64_t>(numbers->size())};
    return node.define({node.constant(extents, std::move(*numbers)), extents, std::nullopt});
  }
  if (const auto integer = node.attributes.integer("value_int"))
    return node.define({no_value, {}, std::vector<std::int64_t>{*integer}});
  if (const auto integers = node.attributes.integers("value_ints"))
    return node.define({no_value, {static_cast<std::int64_t>(integers->size())}, *integers});
  throw Refusal("no value of float32 or of integers");
}

void read_constant_of_shape(Node& node) {
  const Extents extents = node.integers(0);
  float fill = 0;
  if (const onnx::TensorProto* const tensor = node.attributes.tensor("value")) {
    if (tensor->data_type() != onnx::TensorProto::FLOAT) throw Refusal("integers; expected float32");
    fill = node.stored_number(*tensor);
  }
  node.define_stored({extents, onnx::TensorProto::FLOAT, nullptr, std::nullopt, fill});
}

void read_shape(Node& node) {
  const Extents& extents = node.extents(0);
  const auto rank = static_cast<std::int64_t>(extents.size());
  const auto bounded = [rank](std::int64_t axis) {
    return std::clamp(axis < 0 ? axis + rank : axis, std::int64_t{0}, rank);
  };
  const std::int64_t start = bounded(node.attributes.integer("start").value_or(0));
  const std::int64_t end = std::max(start, bounded(node.attributes.integer("end").value_or(rank)));
  node.define({no_value, {end - start}, Extents(extents.begin() + start, extents.begin() + end)});
}

void read_gather(Node& node) {
  const Extents &extents = node.extents(0), &wanted = node.extents(1);
  const std::size_t axis = axis_of(node.attributes.integer("axis").value_or(0), extents.size());
  std::vector<std::int64_t> indices = node.integers(1);
  for (std::int64_t& index : indices)
    index = static_cast<std::int64_t>(axis_of(index, static_cast<std::size_t>(extents[axis])));
  const std::int64_t step = indices.size() > 1 ? indices[1] - indices[0] : 0;
  for (std::size_t i = 1; i < indices.size(); ++i)
    if (indices[i] - indices[i - 1] != step && !node.is_integer(0))
      throw Refusal(fmt::format("elements {}; expected equal distances", fmt::join(indices, ", ")));
  if (node.is_integer(0)) {
    if (extents.size() != 1) throw Refusal(fmt::format("from integers of {}; expected a list", text_of(extents)));
    std::vector<std::int64_t> taken;
    for (const std::int64_t index : indices)
      taken.push_back(node.integers(0)[static_cast<std::size_t>(index)]);
    return node.define({no_value, wanted, std::move(taken)});
  }
  if (indices.empty()) throw Refusal("of nothing; expected one element or more");
  Extents moved = extents, strides = strides_of(extents);
  const std::int64_t offset = indices.front() * strides[axis];
  moved[axis] = static_cast<std::int64_t>(indices.size());
  strides[axis] *= step;
  Extents output(extents.begin(), extents.begin() + static_cast<std::ptrdiff_t>(axis));
  output.insert(output.end(), wanted.begin(), wanted.end());
  output.insert(output.end(), extents.begin() + static_cast<std::ptrdiff_t>(axis) + 1, extents.end());
  node.step(Rearrangement{node.layer(), moved, strides, offset}, {node.value(0)}, output);
}

void read_flatten(Node& node) {
  const Extents& extents = node.extents(0);
  const std::int64_t given = node.attributes.integer("axis").value_or(1);
  const auto rank = static_cast<std::int64_t>(extents.size());
  if (given < -rank || given > rank) throw Refusal(fmt::format("axis {} of {} axes", given, rank));
  const std::size_t axis = static_cast<std::size_t>(given < 0 ? given + rank : given);
  const std::span<const std::int64_t> all(extents);
  node.view(0, {elements_of(all.first(axis)), elements_of(all.subspan(axis))});
}

void read_reshape(Node& node) {
  const Extents& extents = node.extents(0);
  Extents output = node.has(1) ? node.integers(1) : node.attributes.integers("shape").value_or(Extents());
  node.attributes.without_effect("consumed_inputs");
  const bool zero_is_zero = node.attributes.integer("allowzero").value_or(0) != 0;
  std::optional<std::size_t> open;
  for (std::size_t axis = 0; axis < output.size(); ++axis) {
    if (output[axis] == 0 && !zero_is_zero) {
      if (axis >= extents.size()) throw Refusal(fmt::format("0 for axis {} of {}", axis, text_of(extents)));
      output[axis] = extents[axis];
    } else if (output[axis] == -1) {
      if (open) throw Refusal("-1 for two axes; expected one at most");
      open = axis;
      output[axis] = 1;
    }
  }
  const std::int64_t known = elements_of(output), all = elements_of(extents);
  if (open) output[*open] = known == 0 ? 0 : all / known;
  if (elements_of(output) != all)
    throw Refusal(fmt::format("{} elements of {} as {}", all, text_of(extents), text_of(output)));
  node.view(0, output);
}

void read_squeeze(Node& node) {
  const Extents& extents = node.extents(0);
  const std::vector<std::int64_t> axes = axes_of(node);
  std::vector<bool> drops(extents.size(), false);
  for (const std::int64_t axis : axes)
    drops[axis_of(axis, extents.size())] = true;
  Extents output;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    const bool drop = axes.empty() ? extents[axis] == 1 : drops[axis];
    if (drop && extents[axis] != 1)
      throw Refusal(fmt::format("axis {} of {}; expected one of extent 1", axis, text_of(extents)));
    if (!drop) output.push_back(extents[axis]);
  }
  node.view(0, output);
}

void read_unsqueeze(Node& node) {
  const std::vector<std::int64_t> axes = axes_of(node);
  Extents output(node.extents(0).size() + axes.size(), 0);
  for (const std::int64_t axis : axes) {
    std::int64_t& extent = output[axis_of(axis, output.size())];
    if (extent != 0) throw Refusal(fmt::format("axis {} twice", axis));
    extent = 1;
  }
  auto next = node.extents(0).begin();
  for (std::int64_t& extent : output)
    if (extent == 0) extent = *next++;
  node.view(0, output);
}

void read_transpose(Node& node) {
  const Extents &extents = node.extents(0), own = strides_of(extents);
  std::vector<std::int64_t> order(extents.size());
  std::iota(order.rbegin(), order.rend(), std::int64_t{0});
  order = node.attributes.integers("perm").value_or(order);
  std::vector<std::int64_t> sorted = order;
  std::ranges::sort(sorted);
  for (std::size_t axis = 0; axis < sorted.size(); ++axis)
    if (sorted.size() != extents.size() || sorted[axis] != static_cast<std::int64_t>(axis))
      throw Refusal(fmt::format("perm {} of {}", fmt::join(order, ", "), text_of(extents)));
  Extents output, strides;
  for (const std::int64_t axis : order) {
    output.push_back(extents[static_cast<std::size_t>(axis)]);
    strides.push_back(own[static_cast<std::size_t>(axis)]);
  }
  rearrange(node, output, strides, 0);
}

void read_slice(Node& node) {
  Extents output = node.extents(0), strides = strides_of(output);
  std::vector<std::int64_t> starts, ends, axes, steps;
  if (node.opset() < 10) {
    starts = node.attributes.integers("starts").value_or(Extents());
    ends = node.attributes.integers("ends").value_or(Extents());
    axes = node.attributes.integers("axes").value_or(Extents());
  } else {
    starts = node.integers(1);
    ends = node.integers(2);
    if (node.has(3)) axes = node.integers(3);
    if (node.has(4)) steps = node.integers(4);
  }
  if (axes.empty()) {
    axes.resize(starts.size());
    std::iota(axes.begin(), axes.end(), std::int64_t{0});
  }
  if (steps.empty()) steps.assign(starts.size(), 1);
  if (ends.size() != starts.size() || axes.size() != starts.size() || steps.size() != starts.size())
    throw Refusal(
        fmt::format("{} starts, {} ends, {} axes and {} steps", starts.size(), ends.size(), axes.size(), steps.size()));
  std::int64_t offset = 0;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::size_t axis = axis_of(axes[i], output.size());
    const std::int64_t extent = output[axis], step = steps[i];
    if (step == 0) throw Refusal("a step of 0");
    const auto position = [extent](std::int64_t given, std::int64_t least, std::int64_t most) {
      return std::clamp(given < 0 ? given + extent : given, least, most);
    };
    const std::int64_t start = step > 0 ? position(starts[i], 0, extent) : position(starts[i], 0, extent - 1);
    const std::int64_t end =
        step > 0 ? position(ends[i], 0, extent) : position(std::max(ends[i], -extent - 1), -1, extent);
    const std::int64_t distance = step > 0 ? end - start : start - end;
    const std::int64_t size = step > 0 ? step : -std::max(step, -extent - 1);
    output[axis] = std::max<std::int64_t>(0, (distance + size - 1) / size);
    if (output[axis] > 0) offset += start * strides[axis];
    strides[axis] *= output[axis] > 1 ? step : 1;
  }
  rearrange(node, output, strides, offset);
}

void read_split(Node& node) {
  const Extents& extents = node.extents(0);
  const std::size_t axis = axis_of(node.attributes.integer("axis").value_or(0), extents.size());
  std::vector<std::int64_t> parts = node.attributes.integers("split").value_or(Extents());
  if (node.has(1)) parts = node.integers(1);
  if (parts.empty()) parts.assign(static_cast<std::size_t>(node.outputs()), extents[axis] / node.outputs());
  if (parts.size() != static_cast<std::size_t>(node.outputs()) ||
      std::accumulate(parts.begin(), parts.end(), std::int64_t{0}) != extents[axis] || std::ranges::min(parts) < 0)
    throw Refusal(fmt::format("{} into parts of {}", extents[axis], fmt::join(parts, ", ")));
  const Extents strides = strides_of(extents);
  std::int64_t offset = 0;
  for (std::size_t part = 0; part < parts.size(); ++part) {
    Extents output = extents;
    output[axis] = parts[part];
    rearrange(node, output, strides, offset, static_cast<int>(part));
    offset += parts[part] * strides[axis];
  }
}

void read_expand(Node& node) {
  const Extents& extents = node.extents(0);
  const Extents output = broadcast(extents, node.integers(1));
  const Extents strides = broadcast_strides(extents, output);
  rearrange(node, output, strides.empty() ? strides_of(output) : strides, 0);
}

void read_concat(Node& node) {
  if (node.inputs() == 0) throw Refusal("no inputs; expected one or more");
  Extents output = node.extents(0);
  const std::size_t axis = axis_of(node.attributes.integer("axis").value_or(1), output.size());
  const std::int64_t inner = elements_of(std::span<const std::int64_t>(output).subspan(axis + 1));
  Concat layer{node.layer(), elements_of(std::span<const std::int64_t>(output).first(axis)), {}};
  std::vector<ValueId> inputs;
  std::vector<std::int64_t> integers;
  output[axis] = 0;
  for (int input = 0; input < node.inputs(); ++input) {
    Extents part = node.extents(input);
    if (part.size() != output.size()) throw Refusal(fmt::format("input {} is {}", input, text_of(part)));
    const std::int64_t along = part[axis];
    part[axis] = output[axis];
    if (part != output) throw Refusal(fmt::format("input {} does not fit the first one", input));
    output[axis] += along;
    layer.parts.push_back(along * inner);
    if (node.is_integer(0))
      integers.insert(integers.end(), node.integers(input).begin(), node.integers(input).end());
    else
      inputs.push_back(node.value(input));
  }
  if (!node.is_integer(0)) return node.step(layer, inputs, output);
  if (output.size() != 1) throw Refusal(fmt::format("integers of {}; expected lists", text_of(output)));
  node.define({no_value, output, std::move(integers)});
}

void read_pad(Node& node) {
  const Extents& extents = node.extents(0);
  std::vector<std::int64_t> pads;
  float value = 0;
  if (node.opset() < 11) {
    pads = node.attributes.integers(node.opset() < 2 ? "paddings" : "pads").value_or(Extents());
    value = node.attributes.number("value").value_or(0);
  } else {
    pads = node.integers(1);
    if (node.has(2)) value = node.number(2);
  }
  if (pads.size() != 2 * extents.size())
    throw Refusal(fmt::format("{} pads for {}; expected two an axis", pads.size(), text_of(extents)));
  const std::string mode = node.attributes.text("mode").value_or("constant");
  if (mode != "constant" && mode != "reflect" && mode != "edge")
    throw Refusal(fmt::format("mode {}; expected constant, reflect or edge", mode));
  const auto middle = pads.begin() + static_cast<std::ptrdiff_t>(extents.size());
  Pad layer{node.layer(), extents, {pads.begin(), middle}, {middle, pads.end()}, PadKind::constant, value};
  if (mode != "constant") layer.kind = mode == "reflect" ? PadKind::reflect : PadKind::edge;
  Extents output = extents;
  for (std::size_t axis = 0; axis < extents.size(); ++axis) {
    output[axis] += layer.before[axis] + layer.after[axis];
    if (output[axis] < 1) throw Refusal(fmt::format("{} elements on axis {}; expected 1 or more", output[axis], axis));
  }
  node.step(layer, {node.value(0)}, output);
}

void read_depth_and_space(Node& node) {
  const Extents& extents = node.extents(0);
  const std::int64_t block = node.attributes.integer("blocksize").value_or(0);
  if (extents.size() != 4 || block < 1) throw Refusal(fmt::format("blocks of {} in {}", block, text_of(extents)));
  const std::int64_t batch = extents[0], channels = extents[1], height = extents[2], width = extents[3];
  const std::int64_t plane = height * width;
  if (node.type() == "SpaceToDepth") {
    if (height % block != 0 || width % block != 0)
      throw Refusal(fmt::format("blocks of {} in {}", block, text_of(extents)));
    return node.step(Rearrangement{node.layer(),
                                   {batch, block, block, channels, height / block, width / block},
                                   {channels * plane, width, 1, plane, width * block, block},
                                   0},
                     {node.value(0)}, {batch, channels * block * block, height / block, width / block});
  }
  if (channels % (block * block) != 0) throw Refusal(fmt::format("blocks of {} in {}", block, text_of(extents)));
  const std::int64_t depth = channels / (block * block);
  const bool columns_first = node.attributes.text("mode").value_or("DCR") == "CRD";
  const std::int64_t channel_step = columns_first ? block * block : 1, block_step = columns_first ? 1 : depth;
  node.step(
      Rearrangement{node.layer(),
                    {batch, depth, height, block, width, block},
                    {channels * plane, channel_step * plane, width, block * block_step * plane, 1, block_step * plane},
                    0},
      {node.value(0)}, {batch, depth, height * block, width * block});
}

void read_resize(Node& node) {
  const Extents& extents = node.extents(0);
  if (extents.size() != 4) throw Refusal(fmt::format("a map of {}; expected four extents", text_of(extents)));
  if (node.attributes.text("mode").value_or("nearest") != "nearest")
    throw Refusal("an interpolation; expected nearest");
  for (const char* name : {"coordinate_transformation_mode", "cubic_coeff_a", "exclude_outside", "extrapolation_value"})
    node.attributes.without_effect(name);  // of the nearest element, for whole factors
  const std::string rounding = node.attributes.text("nearest_mode").value_or("round_prefer_floor");
  if (rounding != "round_prefer_floor" && rounding != "floor") throw Refusal(fmt::format("nearest_mode {}", rounding));
  const int scales = node.type() == "Upsample" || node.opset() < 11 ? 1 : 2;
  std::vector<std::int64_t> factors;
  if (node.has(scales) && node.extents(scales) != Extents{0}) {
    const auto numbers = node.numbers(scales);
    if (!numbers || numbers->size() != 4) throw Refusal("factors that are computed; expected four that are known");
    for (const float number : *numbers)
      factors.push_back(number == std::floor(number) ? static_cast<std::int64_t>(number) : 0);
  } else if (const auto numbers = node.attributes.numbers("scales"); numbers && numbers->size() == 4) {
    for (const float number : *numbers)
      factors.push_back(number == std::floor(number) ? static_cast<std::int64_t>(number) : 0);
  } else {
    throw Refusal("sizes; expected whole factors");
  }
  if (factors[0] != 1 || factors[1] != 1 || factors[2] < 1 || factors[3] < 1)
    throw Refusal(fmt::format("factors {}; expected 1, 1 and whole ones", fmt::join(factors, ", ")));
  const std::int64_t maps = extents[0] * extents[1], height = extents[2], width = extents[3];
  node.step(
      Rearrangement{node.layer(), {maps, height, factors[2], width, factors[3]}, {height * width, width, 0, 1, 0}, 0},
      {node.value(0)}, {extents[0], extents[1], height * factors[2], width * factors[3]});
}

}  // namespace spillway::kernels::onnx_nodes
