#include "experiments/stall.hpp"

#include <string_view>

#include <fmt/format.h>

#include "platforms/units.hpp"
#include "sim/trace/names.hpp"

namespace spillway::experiments {
namespace {

std::string_view name_of(core::Pool pool, bool shared) {
  if (shared) return "the one pool";
  switch (pool) {
    case core::Pool::input:
      return "the input pool";
    case core::Pool::weights:
      return "the weight pool";
    case core::Pool::output:
      return "the output pool";
  }
  return {};
}

/// What the index of a task counts.
std::string index_text(const core::Task& task) {
  switch (task.kind) {
    case core::TaskKind::read_input:
      return fmt::format(", part {}", task.index);
    case core::TaskKind::read_weights:
    case core::TaskKind::compute:
      return fmt::format(", chunk {}", task.index);
    case core::TaskKind::write_output:
      break;
  }
  return "";
}

}  // namespace

std::vector<std::string> describe_stall(const tiling::SwapPlan& plan, const swap::Result& result) {
  std::vector<std::string> text = {fmt::format("deadlock after {} and {} tasks",
                                               platforms::format_seconds(static_cast<double>(result.makespan_ns) / 1e9),
                                               result.io_tasks() + result.compute_tasks())};
  for (const core::Waiting& waiting : result.waiting) {
    const core::Task& task = waiting.task;
    text.push_back(fmt::format("{} of frame {}, layer {}, tile {}{} waits for {}: needs {}, free {}",
                               trace::to_string(task.kind), task.frame, plan.layer_names[task.layer], task.tile,
                               index_text(task), name_of(waiting.pool, plan.pools.shared), waiting.needed,
                               waiting.free));
  }
  return text;
}

}  // namespace spillway::experiments
