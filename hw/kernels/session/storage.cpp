#include "hw/kernels/session/storage.hpp"

#include <algorithm>

namespace spillway::kernels {
namespace {

/// Whether run() may write the output over the first input.
bool works_in_place(const Layer& layer) {
  if (const Elementwise* elementwise = std::get_if<Elementwise>(&layer)) return elementwise->strides.front().empty();
  return std::holds_alternative<Pointwise>(layer) || std::holds_alternative<Normalization>(layer);
}

}  // namespace

StoragePlan plan_storage(const Program& program, const std::vector<std::size_t>& bytes) {
  const auto bytes_of = [&](ValueId id) {
    return bytes.empty() ? static_cast<std::size_t>(program.values[id].elements()) * sizeof(float) : bytes[id];
  };
  const int end = static_cast<int>(program.steps.size());
  std::vector<int> last_use(program.values.size(), -1);
  for (int position = 0; position < end; ++position)
    for (const ValueId input : program.steps[static_cast<std::size_t>(position)].inputs)
      if (input != no_value) last_use[program.storage_of(input)] = position;
  for (const ValueId output : program.outputs)
    last_use[program.storage_of(output)] = end;

  StoragePlan plan;
  plan.buffers.assign(program.values.size(), no_buffer);
  std::vector<BufferUse> uses;
  const auto begin_buffer = [&](ValueId id, int first) {
    plan.buffers[id] = uses.size();
    uses.push_back({bytes_of(id), first, std::max(first, last_use[id])});
  };
  for (const ValueId input : program.inputs)
    begin_buffer(input, 0);
  for (int position = 0; position < end; ++position) {
    const Step& step = program.steps[static_cast<std::size_t>(position)];
    const ValueId output = program.storage_of(step.output), input = program.storage_of(step.inputs.front());
    const bool reuses = works_in_place(step.layer) && plan.buffers[input] != no_buffer &&
                        uses[plan.buffers[input]].last == position && bytes_of(input) == bytes_of(output);
    if (reuses) {
      plan.buffers[output] = plan.buffers[input];
      uses[plan.buffers[output]].last = std::max(position, last_use[output]);
    } else {
      begin_buffer(output, position);
    }
  }
  plan.memory = plan_memory(uses);
  return plan;
}

}  // namespace spillway::kernels
