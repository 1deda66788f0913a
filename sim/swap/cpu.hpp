#pragma once

#include <cstdint>
#include <limits>

namespace spillway::swap {

/// The end of what has not been started.
inline constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();

/// The CPU of the virtual clock. Under contention time counts in thousandths of a nanosecond and so does work: 1,000
/// units of it in 1,000 of time, fewer while a transfer is in flight. Without, both count in whole nanoseconds and a
/// start fixes the end.
template <bool contention>
class Cpu {
 public:
  explicit Cpu(std::uint32_t contention_thousandths) : slow_rate_(1000 - contention_thousandths) {}

  void start(std::uint64_t work, std::uint64_t now, bool transfer) {
    if constexpr (contention) {
      remaining_ = work * 1000;
      set_rate(transfer, now);
    } else {
      end_ = now + work;
    }
  }

  /// A transfer has begun or ended.
  void transfer(bool in_flight, std::uint64_t now) {
    if constexpr (contention) {
      if (end_ == never) return;
      const std::uint64_t done = (now - since_) * rate_;
      remaining_ -= done < remaining_ ? done : remaining_;
      set_rate(in_flight, now);
    }
  }

  void stop() { end_ = never; }

  std::uint64_t end() const { return end_; }

 private:
  void set_rate(bool transfer, std::uint64_t now) {
    since_ = now;
    rate_ = transfer ? slow_rate_ : 1000;
    end_ = now + (remaining_ + rate_ / 2) / rate_;
  }

  std::uint64_t slow_rate_;
  std::uint64_t rate_ = 1000;
  std::uint64_t remaining_ = 0;
  std::uint64_t since_ = 0;
  std::uint64_t end_ = never;
};

}  // namespace spillway::swap
