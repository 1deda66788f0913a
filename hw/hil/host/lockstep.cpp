#include "hw/hil/host/lockstep.hpp"

#include <algorithm>
#include <stdexcept>
#include <vector>

#include "sim/core/geometry.hpp"
#include "sim/core/scheduler.hpp"

namespace spillway::hil {
namespace {

/// Both sides of one run.
class Lockstep {
 public:
  Lockstep(const core::Plan& plan, execution::LockstepClock& clock, Peer& peer, trace::Sink* sink)
      : plan_(plan),
        clock_(clock),
        peer_(peer),
        sink_(sink),
        words_(core::Scheduler::storage_words(core::size_of(plan))) {
    if (core_.start(plan, words_) != core::Status::ok) throw std::invalid_argument("the scheduler refuses the plan");
  }

  void run(LockstepResult& result) {
    Step step;
    for (;;) {
      ++step.number;
      step.now_ns = clock_.now_ns();
      step.select_io = !io_ || step.ended_io;
      step.select_compute = !compute_ || step.ended_compute;
      const Decisions host = decide(step);
      Decisions device = peer_.step(step);
      result.steps = step.number;
      result.makespan_ns = step.now_ns;
      result.cycles += device.cycles;
      result.most_cycles = std::max(result.most_cycles, device.cycles);
      device.cycles = 0;
      if (device != host) {
        result.difference = {step.number, step.now_ns, host, device};
        return;
      }
      start(host, step);
      result.decisions += (host.io ? 1U : 0U) + (host.compute ? 1U : 0U);
      result.done = host.done;
      if (host.done || (!io_ && !compute_)) return;
      go_on(step);
    }
  }

 private:
  struct Active {
    core::Task task;
    std::uint64_t start_ns = 0;
  };

  Decisions decide(const Step& step) {
    Decisions decisions;
    decisions.number = step.number;
    for (const std::optional<core::Task>& ended : {step.ended_compute, step.ended_io})
      if (ended && decisions.status == core::Status::ok) decisions.status = core_.finish(*ended);
    if (step.select_io) decisions.io = core_.select_io();
    if (step.select_compute) decisions.compute = core_.select_compute();
    decisions.done = core_.done();
    decisions.stalled = core_.stalled();
    return decisions;
  }

  void start(const Decisions& decisions, const Step& step) {
    if (step.ended_io) io_.reset();
    if (step.ended_compute) compute_.reset();
    if (decisions.io) begin(io_, *decisions.io, step.now_ns);
    if (decisions.compute) begin(compute_, *decisions.compute, step.now_ns);
  }

  void begin(std::optional<Active>& resource, const core::Task& task, std::uint64_t now_ns) {
    resource = {task, now_ns};
    clock_.start(task);
  }

  void go_on(Step& step) {
    const execution::LockstepClock::Ends ends = clock_.first_to_end();
    clock_.go_on();
    step.ended_io = ends.io ? std::optional(io_->task) : std::nullopt;
    step.ended_compute = ends.compute ? std::optional(compute_->task) : std::nullopt;
    if (ends.compute) record(*compute_);
    if (ends.io) record(*io_);
  }

  void record(const Active& active) const {
    if (sink_ != nullptr)
      sink_->record({active.task, active.start_ns, clock_.now_ns(), core::bytes_of(plan_, active.task)});
  }

  const core::Plan& plan_;
  execution::LockstepClock& clock_;
  Peer& peer_;
  trace::Sink* sink_;
  std::vector<std::uint32_t> words_;
  core::Scheduler core_;
  std::optional<Active> io_, compute_;
};

}  // namespace

LockstepResult run_lockstep(const core::Plan& plan, std::uint64_t plan_hash, execution::LockstepClock& clock,
                            Line& line, Patience patience, std::uint32_t session, trace::Sink* sink) {
  Peer peer(line, patience);
  Lockstep lockstep(plan, clock, peer, sink);
  LockstepResult result;
  result.device = peer.greet(session);
  result.same_plan = result.device.hello.plan_hash == plan_hash;
  if (result.device.hello.status != core::Status::ok)
    throw PeerError("the device's scheduler refuses its plan: status " +
                    std::to_string(static_cast<int>(result.device.hello.status)));
  try {
    lockstep.run(result);
  } catch (const PeerError&) {
    peer.stop(StopCode::given_up);
    throw;
  }
  peer.stop(result.difference ? StopCode::difference : StopCode::well);
  result.line = peer.statistics();
  return result;
}

}  // namespace spillway::hil
