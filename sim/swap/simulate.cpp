#include "sim/swap/simulate.hpp"

#include <stdexcept>

#include "sim/swap/run.hpp"

namespace spillway::swap {
namespace {

const char* reason(core::Status status) {
  switch (status) {
    case core::Status::no_layers:
      return "it has no layers or no frames";
    case core::Status::too_few_buffers:
      return "a pool has no buffer; at least 4 buffers are needed";
    case core::Status::input_pool_small:
      return "a tile needs more input buffers than the pool has";
    case core::Status::output_pool_small:
      return "it has fewer output than input buffers and could deadlock";
    default:
      return "the core refuses it";
  }
}

}  // namespace

Run::Run(const core::Plan& plan, const ServiceTimes& times, trace::Sink* sink)
    : plan_(plan), times_(times), sink_(sink), storage_(core::Scheduler::storage_words(core::size_of(plan))) {
  if (const core::Status status = core_.start(plan, storage_); status != core::Status::ok) {
    throw std::invalid_argument(std::string("the plan cannot run: ") + reason(status));
  }
  result_.frame_done_ns.resize(plan.frames);
}

void Run::complete(const Active& active, std::uint64_t now_ns) {
  const core::Task& task = active.task;
  core_.finish(task);
  const auto kind = static_cast<std::size_t>(task.kind);
  const std::uint64_t bytes = active.service.bytes;
  ++result_.tasks[kind];
  result_.bytes[kind] += bytes;
  (core::is_io(task.kind) ? result_.io_busy_ns : result_.compute_busy_ns) += now_ns - active.start_ns;
  if (task.kind == core::TaskKind::write_output && core_.frames_done() != frames_done_) {
    frames_done_ = core_.frames_done();
    result_.frame_done_ns[task.frame] = now_ns;
  }
  if (sink_ != nullptr) sink_->record({task, active.start_ns, now_ns, bytes});
}

void Run::record_levels(std::uint64_t now_ns) {
  const auto used = [&](core::Pool pool, std::uint32_t size) {
    return static_cast<std::uint16_t>(size - core_.free_buffers(pool));
  };
  const core::Pools& pools = plan_.pools;
  const trace::PoolLevels now{now_ns, used(core::Pool::input, pools.shared ? pools.total() : pools.input),
                              pools.shared ? std::uint16_t{0} : used(core::Pool::weights, pools.weights),
                              pools.shared ? std::uint16_t{0} : used(core::Pool::output, pools.output)};
  if (now.input == levels_.input && now.weights == levels_.weights && now.output == levels_.output) return;
  levels_ = now;
  sink_->pools(now);
}

Result Run::finish(std::uint64_t now_ns) {
  result_.makespan_ns = now_ns;
  if (!core_.done()) {
    result_.stalled = true;
    result_.waiting.resize(3);
    result_.waiting.resize(core_.waiting(std::span<core::Waiting, 3>(result_.waiting.data(), 3)));
  }
  if (sink_ != nullptr) record_levels(now_ns);
  return result_;
}

Result simulate(const tiling::SwapPlan& plan, const platforms::Board& board, const platforms::Card& card,
                const Options& options) {
  const core::Plan view = plan.view();
  const ServiceTimes times(view, board, card, options.crypto);
  return options.driver == Driver::simgrid ? run_simgrid(view, times, options.mode, options.sink)
                                           : run_virtual_clock(view, times, options.mode, options.sink);
}

}  // namespace spillway::swap
