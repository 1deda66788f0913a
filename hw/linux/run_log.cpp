#include "hw/linux/run_log.hpp"

namespace spillway::execution {

RunLog::RunLog(const core::Plan& plan, bool records) : plan_(plan), records_wanted_(records) {
  result_.frame_done_ns.resize(plan.frames);
}

std::uint64_t RunLog::now() const {
  const auto since = std::chrono::steady_clock::now() - start_;
  return static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

void RunLog::done(const core::Task& task, std::uint64_t start_ns, std::uint64_t end_ns, std::uint32_t frames_done) {
  const auto kind = static_cast<std::size_t>(task.kind);
  const std::uint64_t bytes = core::bytes_of(plan_, task);
  ++result_.tasks[kind];
  result_.bytes[kind] += bytes;
  result_.busy_ns[kind] += end_ns - start_ns;
  if (frames_done != frames_done_) {
    frames_done_ = frames_done;
    result_.frame_done_ns[task.frame] = end_ns;
  }
  if (records_wanted_) records_.push_back({task, start_ns, end_ns, bytes});
}

void RunLog::levels(const core::Scheduler& scheduler) {
  if (!records_wanted_) return;
  const auto used = [&](core::Pool pool, std::uint16_t size) {
    return static_cast<std::uint16_t>(size - scheduler.free_buffers(pool));
  };
  const trace::PoolLevels now_used{now(), used(core::Pool::input, plan_.pools.input),
                                   used(core::Pool::weights, plan_.pools.weights),
                                   used(core::Pool::output, plan_.pools.output)};
  if (!levels_.empty()) {
    const trace::PoolLevels& last = levels_.back().levels;
    if (last.input == now_used.input && last.weights == now_used.weights && last.output == now_used.output) return;
  }
  levels_.push_back({records_.size(), now_used});
}

void RunLog::end(std::uint64_t transfers) {
  result_.makespan_ns = now();
  result_.transfers = transfers;
}

void RunLog::tell(trace::Sink* sink) const {
  if (sink == nullptr) return;
  std::size_t next = 0;
  for (const Levels& change : levels_) {
    for (; next < change.records; ++next)
      sink->record(records_[next]);
    sink->pools(change.levels);
  }
  for (; next < records_.size(); ++next)
    sink->record(records_[next]);
}

}  // namespace spillway::execution
