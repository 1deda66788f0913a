#include <optional>
#include <stdexcept>

#include "sim/swap/cpu.hpp"
#include "sim/swap/run.hpp"

namespace spillway::swap {
namespace {

template <bool contention>
Result run_clock(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink) {
  constexpr std::uint64_t unit = contention ? 1000 : 1;  // of time in a nanosecond
  Run run(plan, times, sink);
  core::Scheduler& core = run.core();
  const bool sequential = mode == Mode::sequential;
  Cpu<contention> cpu(times.contention_thousandths());
  Run::Active io, compute;
  std::uint64_t now = 0;
  std::uint64_t io_end = never;

  while (!core.done()) {
    if (io_end == never && !(sequential && cpu.end() != never)) {
      if (const std::optional<core::Task> task = core.select_io()) {
        run.begin(io, *task, now / unit);
        io_end = now + io.service.duration_ns * unit;
        cpu.transfer(true, now);
      }
    }
    if (cpu.end() == never && !(sequential && io_end != never)) {
      if (const std::optional<core::Task> task = core.select_compute()) {
        run.begin(compute, *task, now / unit);
        cpu.start(compute.service.duration_ns * unit, now, io_end != never);
      }
    }
    run.selections_made(now / unit);
    if (io_end == never && cpu.end() == never) break;

    now = io_end < cpu.end() ? io_end : cpu.end();
    if (now >> 63 != 0)
      throw std::overflow_error("more simulated time than the clock holds (106 days under contention)");
    const bool io_ends = io_end == now;
    if (cpu.end() == now) {
      cpu.stop();
      run.complete(compute, now / unit);
    }
    if (io_ends) {
      io_end = never;
      cpu.transfer(false, now);
      run.complete(io, now / unit);
    }
  }
  return run.finish(now / unit);
}

}  // namespace

Result run_virtual_clock(const core::Plan& plan, const ServiceTimes& times, Mode mode, trace::Sink* sink) {
  return times.contention_thousandths() == 0 ? run_clock<false>(plan, times, mode, sink)
                                             : run_clock<true>(plan, times, mode, sink);
}

}  // namespace spillway::swap
