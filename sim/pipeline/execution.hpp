#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/pipeline/program.hpp"
#include "sim/pipeline/result.hpp"
#include "sim/pipeline/timeline.hpp"

namespace spillway::pipeline {

/// What the ranks of a program do as their work and their messages end; the same under every driver. The driver owns
/// time:
///
///     std::uint64_t now_ns();
///     void start_work(Rank, const Operation&);      the rank computes or calls; computed() is to be called at its end
///     void start_transfer(std::uint32_t message);   delivered() is to be called at its end
template <class Driver>
class Execution {
 public:
  /// Program, driver and timeline (which may be null) must outlive the execution.
  Execution(const Program& program, std::uint64_t frames, Driver& driver, Timeline* timeline)
      : program_(program), frames_(frames), driver_(driver), timeline_(timeline) {
    run_.frame_begin_ns.assign(frames, std::numeric_limits<std::uint64_t>::max());
    run_.frame_done_ns.assign(frames, 0);
    run_.ranks.resize(program.ranks.size());
    ranks_.resize(program.ranks.size());
    messages_.resize(program.messages.size());
    writes_left_.assign(frames, program.writes);
    receives_begin_.assign(program.ranks.size() + 1, 0);
    for (const Message& message : program.messages)
      ++receives_begin_[message.destination + 1];
    for (Rank rank = 0; rank < program.ranks.size(); ++rank)
      receives_begin_[rank + 1] += receives_begin_[rank];
    receives_.resize(program.messages.size());
    std::vector<std::uint32_t> next(receives_begin_.begin(), receives_begin_.end() - 1);
    for (std::uint32_t message = 0; message < program.messages.size(); ++message)
      receives_[next[program.messages[message].destination]++] = message;
  }

  void begin() {
    for (Rank rank = 0; rank < ranks_.size(); ++rank)
      advance(rank);
  }

  /// The rank's work has ended.
  void computed(Rank rank) {
    RankState& state = ranks_[rank];
    const Operation& operation = program_.ranks[rank].operations[state.position];
    const bool compute = operation.kind == Operation::Kind::compute;
    (compute ? run_.ranks[rank].compute_ns : run_.ranks[rank].call_ns) += operation.duration_ns;
    if (timeline_ != nullptr) timeline_->work(rank, state.frame, operation, state.since_ns, driver_.now_ns());
    ++state.position;
    advance(rank);
  }

  /// The oldest transfer of the message that is under way has ended.
  void delivered(std::uint32_t message) {
    const std::uint64_t frame = messages_[message].delivered++;
    if (timeline_ != nullptr) timeline_->arrived(message, frame, driver_.now_ns());
    const Message& what = program_.messages[message];
    if (ranks_[what.destination].waiting) advance(what.destination);
    if (ranks_[what.source].waiting) advance(what.source);
  }

  /// The result; every rank must have done all its frames.
  Run finish() {
    run_.makespan_ns = driver_.now_ns();
    return std::move(run_);
  }

 private:
  struct RankState {
    std::uint64_t frame = 0;
    std::size_t position = 0;
    std::uint64_t since_ns = 0;  ///< begin of the work or of the wait
    bool waiting = false;
  };
  /// Frames that have come so far.
  struct MessageState {
    std::uint64_t sent = 0, expected = 0, started = 0, delivered = 0;
  };

  void advance(Rank rank) {
    RankState& state = ranks_[rank];
    const RankProgram& program = program_.ranks[rank];
    while (state.frame < frames_) {
      if (state.position == 0 && !state.waiting) begin_frame(rank);
      if (state.position == program.operations.size()) {
        state.position = 0;
        ++state.frame;
        continue;
      }
      const Operation& operation = program.operations[state.position];
      switch (operation.kind) {
        case Operation::Kind::compute:
        case Operation::Kind::call:
          state.since_ns = driver_.now_ns();
          driver_.start_work(rank, operation);
          return;
        case Operation::Kind::send:
          send(operation, state.frame);
          break;
        case Operation::Kind::write:
          if (--writes_left_[state.frame] == 0) run_.frame_done_ns[state.frame] = driver_.now_ns();
          break;
        default:
          if (!may_pass(rank, operation)) return wait(state);
          passed(rank, operation);
      }
      ++state.position;
    }
  }

  void begin_frame(Rank rank) {
    const std::uint64_t frame = ranks_[rank].frame;
    const std::uint64_t expected = std::min<std::uint64_t>(frame + program_.slots, frames_);
    for (std::uint32_t i = receives_begin_[rank]; i < receives_begin_[rank + 1]; ++i) {
      messages_[receives_[i]].expected = expected;
      start(receives_[i]);
    }
    if (program_.ranks[rank].reads) run_.frame_begin_ns[frame] = std::min(run_.frame_begin_ns[frame], driver_.now_ns());
  }

  void send(const Operation& operation, std::uint64_t frame) {
    for (std::uint32_t message = operation.first; message < operation.last; ++message) {
      messages_[message].sent = frame + 1;
      if (timeline_ != nullptr) timeline_->sent(message, frame, driver_.now_ns());
      start(message);
    }
  }

  void start(std::uint32_t message) {
    MessageState& state = messages_[message];
    const std::uint64_t ready = program_.messages[message].eager ? state.sent : std::min(state.sent, state.expected);
    while (state.started < ready) {
      ++state.started;
      driver_.start_transfer(message);
    }
  }

  bool may_pass(Rank rank, const Operation& operation) const {
    const std::uint64_t frame = ranks_[rank].frame;
    switch (operation.kind) {
      case Operation::Kind::wait:
        return messages_[operation.first].delivered > frame;
      case Operation::Kind::reserve:
        return received(operation.first, operation.last,
                        frame + 1 - std::min<std::uint64_t>(frame + 1, program_.slots));
      default:
        return received_all(rank);
    }
  }

  bool received(std::uint32_t first, std::uint32_t last, std::uint64_t frames) const {
    for (std::uint32_t message = first; message < last; ++message)
      if (!program_.messages[message].eager && messages_[message].delivered < frames) return false;
    return true;
  }

  bool received_all(Rank rank) const {
    for (const Operation& operation : program_.ranks[rank].operations)
      if (operation.kind == Operation::Kind::send && !received(operation.first, operation.last, ranks_[rank].frame + 1))
        return false;
    return true;
  }

  void wait(RankState& state) {
    if (state.waiting) return;
    state.waiting = true;
    state.since_ns = driver_.now_ns();
  }

  void passed(Rank rank, const Operation& operation) {
    RankState& state = ranks_[rank];
    if (!state.waiting) return;
    state.waiting = false;
    const bool receive = operation.kind == Operation::Kind::wait;
    (receive ? run_.ranks[rank].receive_wait_ns : run_.ranks[rank].send_wait_ns) += driver_.now_ns() - state.since_ns;
    if (timeline_ != nullptr) timeline_->work(rank, state.frame, operation, state.since_ns, driver_.now_ns());
  }

  const Program& program_;
  std::uint64_t frames_;
  Driver& driver_;
  Timeline* timeline_;
  Run run_;
  std::vector<RankState> ranks_;
  std::vector<MessageState> messages_;
  std::vector<std::size_t> writes_left_;  ///< by frame
  std::vector<std::uint32_t> receives_;   ///< messages by destination
  std::vector<std::uint32_t> receives_begin_;
};

}  // namespace spillway::pipeline
