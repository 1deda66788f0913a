#include <limits>
#include <optional>

#include "sim/swap/run.hpp"

namespace spillway::swap {
namespace {

constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The CPU: work in thousandths of a nanosecond, done at 1,000 of them a nanosecond, fewer while a transfer is in
/// flight.
class Cpu {
 public:
  explicit Cpu(std::uint32_t contention_thousandths) : slow_rate_(1000 - contention_thousandths) {}

  void start(std::uint64_t duration_ns, std::uint64_t now_ns, bool transfer) {
    remaining_ = duration_ns * 1000;
    set_rate(transfer, now_ns);
  }

  /// A transfer has begun or ended.
  void transfer(bool in_flight, std::uint64_t now_ns) {
    if (slow_rate_ == 1000 || end_ns_ == never) return;
    const std::uint64_t done = (now_ns - since_ns_) * rate_;
    remaining_ -= done < remaining_ ? done : remaining_;
    set_rate(in_flight, now_ns);
  }

  void stop() { end_ns_ = never; }

  std::uint64_t end_ns() const { return end_ns_; }

 private:
  void set_rate(bool transfer, std::uint64_t now_ns) {
    since_ns_ = now_ns;
    rate_ = transfer ? slow_rate_ : 1000;
    end_ns_ = now_ns + (rate_ == 1000 ? (remaining_ + 999) / 1000 : (remaining_ + rate_ - 1) / rate_);
  }

  std::uint64_t slow_rate_;
  std::uint64_t rate_ = 1000;
  std::uint64_t remaining_ = 0;
  std::uint64_t since_ns_ = 0;
  std::uint64_t end_ns_ = never;
};

}  // namespace

Result run_virtual_clock(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink) {
  Run run(plan, times, sink);
  core::Scheduler& core = run.core();
  const bool sequential = mode == Mode::sequential;
  Cpu cpu(times.contention_thousandths());
  Run::Active io, compute;
  std::uint64_t now = 0;
  std::uint64_t io_end = never;

  while (!core.done()) {
    if (io_end == never && !(sequential && cpu.end_ns() != never)) {
      if (const std::optional<core::Task> task = core.select_io()) {
        io = run.begin(*task, now);
        io_end = now + io.duration_ns;
        cpu.transfer(true, now);
      }
    }
    if (cpu.end_ns() == never && !(sequential && io_end != never)) {
      if (const std::optional<core::Task> task = core.select_compute()) {
        compute = run.begin(*task, now);
        cpu.start(compute.duration_ns, now, io_end != never);
      }
    }
    run.selections_made(now);
    if (io_end == never && cpu.end_ns() == never) break;

    now = io_end < cpu.end_ns() ? io_end : cpu.end_ns();
    const bool io_ends = io_end == now;
    if (cpu.end_ns() == now) {
      cpu.stop();
      run.complete(compute, now);
    }
    if (io_ends) {
      io_end = never;
      cpu.transfer(false, now);
      run.complete(io, now);
    }
  }
  return run.finish(now);
}

}  // namespace spillway::swap
