#include "experiments/execution/board_clock.hpp"

#include "sim/swap/cpu.hpp"

namespace spillway::experiments {
namespace {

template <bool contention>
class BoardClock final : public execution::LockstepClock {
 public:
  explicit BoardClock(const swap::ServiceTimes& times) : times_(times), cpu_(times.contention_thousandths()) {}

  void start(const core::Task& task) override {
    const std::uint64_t duration_ns = times_.of(task).duration_ns;
    if (core::is_io(task.kind)) {
      io_end_ = now_ + duration_ns * unit;
      cpu_.transfer(true, now_);
    } else {
      cpu_.start(duration_ns * unit, now_, io_end_ != swap::never);
    }
  }

  Ends first_to_end() const override {
    const std::uint64_t first = first_end();
    return {io_end_ == first && first != swap::never, cpu_.end() == first && first != swap::never};
  }

  void go_on() override {
    const Ends ends = first_to_end();
    now_ = first_end();
    if (ends.compute) cpu_.stop();
    if (!ends.io) return;
    io_end_ = swap::never;
    cpu_.transfer(false, now_);
  }

  std::uint64_t now_ns() const override { return now_ / unit; }

 private:
  static constexpr std::uint64_t unit = contention ? 1000 : 1;  // of time in a nanosecond

  std::uint64_t first_end() const { return io_end_ < cpu_.end() ? io_end_ : cpu_.end(); }

  const swap::ServiceTimes& times_;
  swap::Cpu<contention> cpu_;
  std::uint64_t now_ = 0, io_end_ = swap::never;
};

}  // namespace

std::unique_ptr<execution::LockstepClock> board_clock(const swap::ServiceTimes& times) {
  if (times.contention_thousandths() == 0) return std::make_unique<BoardClock<false>>(times);
  return std::make_unique<BoardClock<true>>(times);
}

}  // namespace spillway::experiments
