#include <algorithm>
#include <optional>
#include <utility>

#include "hw/kernels/session/program.hpp"

namespace spillway::kernels {
namespace {

constexpr std::size_t scale_operand = 3, shift_operand = 4, residual_operand = 5;  // of a convolution

Activation* activation_of(Layer& layer) {
  return std::visit(
      [](auto& any) -> Activation* {
        if constexpr (requires { any.activation; })
          return &any.activation;
        else
          return nullptr;
      },
      layer);
}

bool has_activation(Layer& layer) {
  return activation_of(layer)->function != Function::none;
}

class Fusion {
 public:
  explicit Fusion(Program& program) : program_(program), readers_(program.values.size(), 0) {
    for (const Step& step : program.steps)
      for (const ValueId input : step.inputs)
        if (input != no_value) ++readers_[input];
    for (const Value& value : program.values)
      if (value.same_as != no_value) ++readers_[value.same_as];
    for (const ValueId output : program.outputs)
      ++readers_[output];
  }

  void run() {
    std::vector<bool> gone(program_.steps.size(), false);
    for (std::size_t position = 0; position < program_.steps.size(); ++position) {
      const std::optional<std::size_t> into = fuse(position);
      if (!into) {
        producer_[program_.steps[position].output] = position;
        continue;
      }
      Step& step = program_.steps[position];
      Step& target = program_.steps[*into];
      producer_.at(step.output) = *into;
      target.fused.push_back(step.name);
      target.fused.insert(target.fused.end(), step.fused.begin(), step.fused.end());
      target.output = step.output;
      gone[position] = true;
    }
    std::size_t kept = 0;
    for (std::size_t position = 0; position < program_.steps.size(); ++position)
      if (!gone[position]) {
        if (kept != position) program_.steps[kept] = std::move(program_.steps[position]);
        ++kept;
      }
    program_.steps.resize(kept);
  }

 private:
  /// The step before that makes `value` for nobody but one reader.
  std::optional<std::size_t> sole_producer(ValueId value) const {
    if (readers_[value] != 1 || producer_[value] == no_step) return std::nullopt;
    return producer_[value];
  }

  /// Moves a step into an earlier one; returns that one's position.
  std::optional<std::size_t> fuse(std::size_t position) {
    Step& step = program_.steps[position];
    if (std::holds_alternative<Normalization>(step.layer)) return fuse_normalization(step);
    if (std::holds_alternative<Elementwise>(step.layer)) return fuse_addition(step);
    if (std::holds_alternative<Pointwise>(step.layer)) return fuse_activation(step);
    return std::nullopt;
  }

  std::optional<std::size_t> fuse_normalization(Step& step) {
    const std::optional<std::size_t> before = sole_producer(step.inputs.front());
    if (!before) return std::nullopt;
    Step& target = program_.steps[*before];
    Convolution* convolution = std::get_if<Convolution>(&target.layer);
    if (convolution == nullptr || has_activation(target.layer) || target.inputs[scale_operand] != no_value ||
        target.inputs[residual_operand] != no_value || !made_before(step.inputs[1], *before) ||
        !made_before(step.inputs[2], *before))
      return std::nullopt;
    target.inputs[scale_operand] = step.inputs[1];
    target.inputs[shift_operand] = step.inputs[2];
    convolution->activation = std::get<Normalization>(step.layer).activation;
    return before;
  }

  std::optional<std::size_t> fuse_addition(Step& step) {
    const Elementwise& addition = std::get<Elementwise>(step.layer);
    const bool plain = addition.operation == Operation::add && addition.strides.size() == 2 &&
                       addition.strides[0].empty() && addition.strides[1].empty() && step.inputs[0] != step.inputs[1];
    if (!plain) return std::nullopt;
    // The later convolution of the two, so that the other operand is there when it runs.
    std::optional<std::size_t> before;
    ValueId other = no_value;
    for (std::size_t operand = 0; operand < 2; ++operand) {
      const std::optional<std::size_t> candidate = sole_producer(step.inputs[operand]);
      if (!candidate || !takes_residual(program_.steps[*candidate])) continue;
      if (!made_before(step.inputs[1 - operand], *candidate)) continue;
      before = candidate;
      other = step.inputs[1 - operand];
    }
    if (!before) return std::nullopt;
    Step& target = program_.steps[*before];
    target.inputs[residual_operand] = other;
    std::get<Convolution>(target.layer).activation = addition.activation;
    return before;
  }

  bool takes_residual(Step& step) const {
    return std::holds_alternative<Convolution>(step.layer) && !has_activation(step.layer) &&
           step.inputs[residual_operand] == no_value;
  }

  bool made_before(ValueId value, std::size_t position) const {
    const std::size_t maker = producer_[program_.storage_of(value)];
    return maker == no_step || maker < position;
  }

  std::optional<std::size_t> fuse_activation(Step& step) {
    const std::optional<std::size_t> before = sole_producer(step.inputs.front());
    if (!before) return std::nullopt;
    Layer& layer = program_.steps[*before].layer;
    Activation* activation = activation_of(layer);
    if (activation == nullptr || activation->function != Function::none) return std::nullopt;
    *activation = std::get<Pointwise>(step.layer).activation;
    return before;
  }

  static constexpr std::size_t no_step = no_value;

  Program& program_;
  std::vector<int> readers_;            ///< by value: steps, views and the program's own outputs
  std::vector<std::size_t> producer_ =  ///< by value: the step that makes it
      std::vector<std::size_t>(program_.values.size(), no_step);
};

}  // namespace

void fuse(Program& program) {
  Fusion(program).run();
}

}  // namespace spillway::kernels
