#include "experiments/traces/replay.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/format.h>

#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::traces {
namespace {

constexpr std::size_t most_errors = 20;

bool has_task(const core::Plan& plan, const core::Task& task) {
  if (task.frame >= plan.frames || task.layer >= plan.layers.size()) return false;
  const core::Layer& layer = plan.layers[task.layer];
  if (task.tile >= layer.tiles()) return false;
  switch (task.kind) {
    case core::TaskKind::read_input:
      return task.index < layer.parts && core::part_exists(layer, plan.parts[layer.first_part + task.index], task.tile);
    case core::TaskKind::read_weights:
      return core::reads_weights(layer, task.tile) && task.index < core::chunks_of(layer, task.tile);
    case core::TaskKind::compute:
      return task.index < core::chunks_of(layer, task.tile);
    case core::TaskKind::write_output:
      return task.index == 0 && !layer.keeps_output();
  }
  return false;
}

void check_tasks(const core::Plan& plan, const RunTrace& run) {
  std::vector<std::string> problems;
  for (const trace::Record& record : run.records) {
    if (problems.size() == most_errors) break;
    if (!has_task(plan, record.task)) {
      problems.push_back(fmt::format("{}: the plan has no {}", run.name, describe(record.task, run)));
    } else if (core::is_io(record.task.kind) && record.bytes != core::bytes_of(plan, record.task)) {
      problems.push_back(fmt::format("{}: {} moves {} bytes, in the plan {}", run.name, describe(record.task, run),
                                     record.bytes, core::bytes_of(plan, record.task)));
    }
  }
  if (!problems.empty()) {
    problems.push_back(
        fmt::format("{}: is it the trace of this network, with this SRAM, buffer, rule, frames and "
                    "window?",
                    run.name));
    throw TraceError(std::move(problems));
  }
}

/// The core under a trace.
class Player {
 public:
  Player(const core::Plan& plan, const RunTrace& run)
      : run_(run), words_(core::Scheduler::storage_words(core::size_of(plan))) {
    if (core_.start(plan, words_) != core::Status::ok)
      throw TraceError({fmt::format("{}: the core refuses the plan", run.name)});
    for (const trace::Record& record : run.records) {
      order_[core::is_io(record.task.kind) ? 0 : 1].push_back(tasks_.size());
      tasks_.push_back({record, record.start_ns, 0});
    }
  }

  Replay play() {
    std::vector<const ServedTask*> ends;
    for (const ServedTask& task : tasks_)
      ends.push_back(&task);
    std::ranges::stable_sort(ends, {}, [](const ServedTask* task) {
      return std::tuple(task->record.end_ns, core::is_io(task->record.task.kind));
    });
    select(0);
    for (std::size_t i = 0; i < ends.size(); ++i) {
      const trace::Record& record = ends[i]->record;
      if (core_.finish(record.task) != core::Status::ok) fail(record);
      resources_[core::is_io(record.task.kind) ? 0 : 1].busy = false;
      // Ends of one instant are delivered together.
      if (i + 1 == ends.size() || ends[i + 1]->record.end_ns != record.end_ns) select(record.end_ns);
    }
    return {std::move(tasks_), core_.done()};
  }

 private:
  struct Resource {
    bool busy = false;
    std::size_t next = 0;                 ///< in the order of its tasks
    std::optional<core::Task> preferred;  ///< what the core would have started instead
  };

  void select(std::uint64_t now_ns) {
    for (const std::size_t which : {0U, 1U}) {
      Resource& resource = resources_[which];
      if (resource.busy || resource.next == order_[which].size()) continue;
      ServedTask& next = tasks_[order_[which][resource.next]];
      const core::Scheduler core_before = core_;
      const std::vector<std::uint32_t> words_before = words_;
      resource.preferred = which == 0 ? core_.select_io() : core_.select_compute();
      if (resource.preferred == next.record.task) {
        next.ready_ns = std::min(now_ns, next.record.start_ns);
        resource.busy = true;
        ++resource.next;
        continue;
      }
      // Not yet: the board chose later, when more had ended.
      core_ = core_before;
      std::ranges::copy(words_before, words_.begin());
    }
  }

  [[noreturn]] void fail(const trace::Record& record) const {
    const Resource& resource = resources_[core::is_io(record.task.kind) ? 0 : 1];
    throw TraceError(
        {fmt::format("{}: {} is no decision of the scheduler's: {}", run_.name, describe(record.task, run_),
                     resource.preferred ? "it would have started " + describe(*resource.preferred, run_)
                                        : std::string("it had nothing to start"))});
  }

  const RunTrace& run_;
  std::vector<std::uint32_t> words_;
  core::Scheduler core_;
  std::vector<ServedTask> tasks_;
  std::array<std::vector<std::size_t>, 2> order_;  ///< IO, compute: into tasks_
  std::array<Resource, 2> resources_;
};

void add_overlaps(std::vector<ServedTask>& tasks) {
  std::vector<std::pair<std::uint64_t, std::uint64_t>> transfers;
  for (const ServedTask& task : tasks)
    if (core::is_io(task.record.task.kind)) transfers.emplace_back(task.ready_ns, task.record.end_ns);
  std::ranges::sort(transfers);
  auto first = transfers.begin();
  for (ServedTask& task : tasks) {
    if (core::is_io(task.record.task.kind)) continue;
    // Compute tasks follow one another, and so do transfers.
    while (first != transfers.end() && first->second <= task.ready_ns)
      ++first;
    for (auto each = first; each != transfers.end() && each->first < task.record.end_ns; ++each) {
      const std::uint64_t begin = std::max(each->first, task.ready_ns),
                          end = std::min(each->second, task.record.end_ns);
      if (end > begin) task.overlap_ns += end - begin;
    }
  }
}

std::uint64_t tasks_of(const core::Plan& plan) {
  std::uint64_t tasks = 0;
  for (const core::Layer& layer : plan.layers) {
    for (std::uint32_t tile = 0; tile < layer.tiles(); ++tile) {
      tasks += core::chunks_of(layer, tile) + (layer.keeps_output() ? 0U : 1U);
      if (core::reads_weights(layer, tile)) tasks += core::chunks_of(layer, tile);
      for (const core::Part& part : plan.parts.subspan(layer.first_part, layer.parts))
        tasks += core::part_exists(layer, part, tile) ? 1 : 0;
    }
  }
  return tasks * plan.frames;
}

}  // namespace

Replay replay(const core::Plan& plan, const RunTrace& run) {
  check_tasks(plan, run);
  Replay result;
  if (run.records.size() == tasks_of(plan)) {
    result = Player(plan, run).play();
  } else {
    for (const trace::Record& record : run.records)
      result.tasks.push_back({record, record.start_ns, 0});
  }
  add_overlaps(result.tasks);
  return result;
}

}  // namespace spillway::traces
