#include "hw/mpi/layer_text.hpp"

#include <cmath>
#include <stdexcept>
#include <string_view>
#include <variant>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace spillway::mpi {
namespace {

using namespace kernels;

std::string text(const Map& map) {
  return fmt::format("{{{}, {}, {}}}", map.channels, map.height, map.width);
}

std::string text(const Window& window) {
  return fmt::format("{{{}, {}, {}, {}, {}, {}, {}, {}}}", window.kernel_height, window.kernel_width,
                     window.stride_height, window.stride_width, window.dilation_height, window.dilation_width,
                     window.pad_top, window.pad_left);
}

std::string_view name_of(Function function) {
  switch (function) {
    case Function::none:
      return "none";
    case Function::relu:
      return "relu";
    case Function::clip:
      return "clip";
    case Function::leaky_relu:
      return "leaky_relu";
    case Function::sigmoid:
      return "sigmoid";
    case Function::hard_sigmoid:
      return "hard_sigmoid";
    case Function::hard_swish:
      return "hard_swish";
    case Function::tanh:
      return "tanh";
    default:
      throw std::logic_error("a function that no network has");
  }
}

std::string text(const Activation& activation) {
  if (activation.function == Function::none) return "{}";
  return fmt::format("{{kernels::Function::{}, {}, {}}}", name_of(activation.function), literal(activation.a),
                     literal(activation.b));
}

std::string_view name_of(PoolKind kind) {
  switch (kind) {
    case PoolKind::max:
      return "max";
    case PoolKind::average:
      return "average";
    case PoolKind::average_padded:
      return "average_padded";
  }
  return "";
}

std::string_view name_of(Operation operation) {
  switch (operation) {
    case Operation::add:
      return "add";
    case Operation::multiply:
      return "multiply";
    default:
      throw std::logic_error("an operation that no network has");
  }
}

std::string text(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{{{}}}", fmt::join(numbers, ", "));
}

std::string text(const std::vector<std::vector<std::int64_t>>& lists) {
  std::vector<std::string> texts;
  for (const std::vector<std::int64_t>& list : lists)
    texts.push_back(text(list));
  return fmt::format("{{{}}}", fmt::join(texts, ", "));
}

struct Definition {
  const std::string& name;

  std::string operator()(const Convolution& l) const {
    return fmt::format("kernels::Convolution {}{{{}, {}, {}, {}, {}, {}, {}}}", name, l.layer, l.batch, l.groups,
                       text(l.input), text(l.output), text(l.window), text(l.activation));
  }
  std::string operator()(const Dense& l) const {
    return fmt::format("kernels::Dense {}{{{}, {}, {}, {}, {}}}", name, l.layer, l.batch, l.inputs, l.outputs,
                       text(l.activation));
  }
  std::string operator()(const Pool& l) const {
    return fmt::format("kernels::Pool {}{{{}, {}, kernels::PoolKind::{}, {}, {}, {}, {}, {}}}", name, l.layer, l.batch,
                       name_of(l.kind), text(l.input), text(l.output), text(l.window), l.pad_bottom, l.pad_right);
  }
  std::string operator()(const Normalization& l) const {
    return fmt::format("kernels::Normalization {}{{{}, {}, {}, {}}}", name, l.layer, l.batch, text(l.map),
                       text(l.activation));
  }
  std::string operator()(const LocalResponseNormalization& l) const {
    return fmt::format("kernels::LocalResponseNormalization {}{{{}, {}, {}, {}, {}, {}, {}}}", name, l.layer, l.batch,
                       text(l.map), l.size, literal(l.alpha), literal(l.beta), literal(l.bias));
  }
  std::string operator()(const Pointwise& l) const {
    return fmt::format("kernels::Pointwise {}{{{}, {}, {}}}", name, l.layer, l.elements, text(l.activation));
  }
  std::string operator()(const Elementwise& l) const {
    return fmt::format("kernels::Elementwise {}{{{}, kernels::Operation::{}, {}, {}, {}}}", name, l.layer,
                       name_of(l.operation), text(l.extents), text(l.strides), text(l.activation));
  }
  std::string operator()(const Softmax& l) const {
    return fmt::format("kernels::Softmax {}{{{}, {}, {}, {}, {}}}", name, l.layer, l.outer, l.axis, l.inner,
                       l.logarithm);
  }
  std::string operator()(const Concat& l) const {
    return fmt::format("kernels::Concat {}{{{}, {}, {}}}", name, l.layer, l.outer, text(l.parts));
  }
  std::string operator()(const Rearrangement& l) const {
    return fmt::format("kernels::Rearrangement {}{{{}, {}, {}, {}}}", name, l.layer, text(l.extents), text(l.strides),
                       l.offset);
  }
  std::string operator()(const Copy& l) const {
    return fmt::format("kernels::Copy {}{{{}, {}}}", name, l.layer, l.elements);
  }
  template <typename Other>
  std::string operator()(const Other&) const {
    throw std::logic_error("a layer that no network has");
  }
};

bool takes_list(const Layer& layer) {
  return std::holds_alternative<Elementwise>(layer) || std::holds_alternative<Concat>(layer);
}

/// Operands between the input and the output as run() takes them.
std::string numbers_of(const Layer& layer, const std::vector<std::string>& operands) {
  if (std::holds_alternative<Convolution>(layer))
    return fmt::format("{{{}}}, {}, ", fmt::join(operands.begin() + 1, operands.begin() + 5, ", "), operands[5]);
  if (std::holds_alternative<Dense>(layer)) return fmt::format("{{{}, {}}}, ", operands[1], operands[2]);
  if (std::holds_alternative<Normalization>(layer)) return fmt::format("{}, {}, ", operands[1], operands[2]);
  return "";
}

}  // namespace

std::string literal(float value) {
  if (std::isinf(value)) return fmt::format("{}std::numeric_limits<float>::infinity()", value < 0 ? "-" : "");
  std::string digits = fmt::format("{}", value);
  if (digits.find_first_of(".e") == std::string::npos) digits += ".0";
  return digits + "F";
}

std::string definition_of(const Layer& layer, const std::string& name) {
  return std::visit(Definition{name}, layer);
}

bool has_scratch(const Layer& layer) {
  return std::holds_alternative<Convolution>(layer) || std::holds_alternative<Pool>(layer);
}

std::vector<std::string> call_of(const Layer& layer, const std::string& name, const std::vector<std::string>& operands,
                                 const std::string& output) {
  if (takes_list(layer))
    return {fmt::format("const float* const {}_operands[] = {{{}}};", name, fmt::join(operands, ", ")),
            fmt::format("kernels::run({0}, {0}_operands, {1}, execution);", name, output)};
  return {fmt::format("kernels::run({}, {}, {}{}, execution);", name, operands.front(), numbers_of(layer, operands),
                      output)};
}

}  // namespace spillway::mpi
