#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/pipeline/program.hpp"
#include "sim/pipeline/timeline.hpp"

namespace spillway::pipeline {

/// Ranks that may go on.
struct Woken {
  std::array<Rank, 2> ranks{};
  std::size_t count = 0;

  std::span<const Rank> span() const& { return std::span(ranks).first(count); }
  std::span<const Rank> span() const&& = delete;
};

/// Messages that move by themselves once they are sent and their receive is posted (Progress::async). A send is
/// complete when it is received.
template <class Driver>
class AsyncProgress {
 public:
  static constexpr bool move_by_themselves = true;

  /// All must outlive the object; `timeline` may be null.
  AsyncProgress(const Program& program, const Machine&, std::uint64_t frames, Driver& driver, Timeline* timeline)
      : program_(program), frames_(frames), driver_(driver), timeline_(timeline), messages_(program.messages.size()) {}

  /// Work that the rank does before it looks at its messages again, of what is left.
  static std::uint64_t slice(const Operation&, std::uint64_t left_ns) { return left_ns; }

  /// The rank, which waits since then or does not, looks at its messages: the time of a core that this takes.
  static std::uint64_t look(Rank, std::uint64_t /*since_ns*/) { return 0; }

  /// The rank waits, and looks now and then.
  static void rest(Rank, std::uint64_t /*since_ns*/) {}

  /// Receives of the message are posted up to those of the frame and of as many behind it as there are copies.
  void expect(std::uint32_t message, std::uint64_t frame) {
    messages_[message].expected = std::min<std::uint64_t>(frame + program_.slots, frames_);
    start(message);
  }

  void send(std::uint32_t message, std::uint64_t frame) {
    messages_[message].sent = frame + 1;
    start(message);
  }

  /// Frames of the message that its receiver has, and that its sender knows to be received.
  std::uint64_t received(std::uint32_t message) const { return messages_[message].delivered; }
  std::uint64_t completed(std::uint32_t message) const { return messages_[message].delivered; }

  /// The oldest transfer of the message has ended.
  Woken delivered(std::uint32_t message) {
    const std::uint64_t frame = messages_[message].delivered++;
    if (timeline_ != nullptr) timeline_->arrived(message, frame, driver_.now_ns());
    const Message& what = program_.messages[message];
    return {{what.destination, what.source}, 2};
  }

  /// A timer of the driver has ended.
  static Woken timer(std::uint32_t) { return {}; }

 private:
  /// Frames that have come so far.
  struct State {
    std::uint64_t sent = 0, expected = 0, started = 0, delivered = 0;
  };

  void start(std::uint32_t message) {
    State& state = messages_[message];
    const Message& what = program_.messages[message];
    const std::uint64_t ready = what.eager ? state.sent : std::min(state.sent, state.expected);
    while (state.started < ready) {
      ++state.started;
      driver_.start_transfer(message, what.bytes, message);
    }
  }

  const Program& program_;
  std::uint64_t frames_;
  Driver& driver_;
  Timeline* timeline_;
  std::vector<State> messages_;
};

}  // namespace spillway::pipeline
