#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "sim/pipeline/program.hpp"
#include "sim/pipeline/progress.hpp"
#include "sim/pipeline/result.hpp"
#include "sim/pipeline/timeline.hpp"

namespace spillway::pipeline {

/// What the ranks of a program do as their work and their messages end; the same under every driver. The driver owns
/// time:
///
///     std::uint64_t now_ns();
///     void start_work(Rank, std::uint64_t ns);   the rank computes or calls; worked() is to be called at its end
///     bool may_join(Rank);   pieces of the rank's work end when one piece of their sum does
///     void start_transfer(std::uint32_t message, std::uint64_t bytes, std::uint32_t token);
///                                                delivered(token) is to be called at its end
///     void start_timer(std::uint64_t ns, std::uint32_t token);   timer(token) is to be called at its end
///
/// Messages is how messages move: AsyncProgress or CallProgress.
template <class Driver, template <class> class Messages>
class Execution {
 public:
  /// Program, driver and timeline (which may be null) must outlive the execution.
  Execution(const Program& program, const Machine& machine, std::uint64_t frames, Driver& driver, Timeline* timeline)
      : program_(program),
        frames_(frames),
        driver_(driver),
        timeline_(timeline),
        messages_(program, machine, frames, driver, timeline) {
    run_.frame_begin_ns.assign(frames, std::numeric_limits<std::uint64_t>::max());
    run_.frame_done_ns.assign(frames, 0);
    run_.ranks.resize(program.ranks.size());
    ranks_.resize(program.ranks.size());
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
  void worked(Rank rank) {
    RankState& state = ranks_[rank];
    if (state.look_ns > 0) {
      run_.ranks[rank].call_ns += state.look_ns;
      if (state.waiting) state.since_ns += state.look_ns;
      state.look_ns = 0;
    } else {
      state.left_ns -= state.slice_ns;
      if (state.left_ns == 0) return ended(rank);
      if (looks(rank)) return;
    }
    if (state.left_ns > 0)
      work_on(rank);
    else
      advance(rank);
  }

  /// A transfer has ended, or a timer.
  void delivered(std::uint32_t token) { wake(messages_.delivered(token)); }
  void timer(std::uint32_t token) { wake(messages_.timer(token)); }

  /// The result; every rank must have done all its frames.
  Run finish() {
    run_.makespan_ns = driver_.now_ns();
    return std::move(run_);
  }

 private:
  static constexpr bool by_themselves = Messages<Driver>::move_by_themselves;

  struct RankState {
    std::uint64_t frame = 0;
    std::size_t position = 0;
    std::size_t behind = 0;      ///< position behind the work under way
    std::uint64_t since_ns = 0;  ///< begin of the operation or of the wait
    std::uint64_t left_ns = 0;   ///< of the operation's work
    std::uint64_t slice_ns = 0;  ///< of it, what is being done
    std::uint64_t look_ns = 0;   ///< what the rank does with the messages that it found; 0: it does something else
    bool waiting = false;
  };

  void wake(const Woken& woken) {
    for (const Rank rank : woken.span())
      if (ranks_[rank].waiting) advance(rank);
  }

  void ended(Rank rank) {
    RankState& state = ranks_[rank];
    if (timeline_ != nullptr) {
      const Operation& operation = program_.ranks[rank].operations[state.position];
      timeline_->work(rank, state.frame, operation, state.since_ns, driver_.now_ns());
    }
    state.position = state.behind;
    advance(rank);
  }

  /// Begins the work at the rank's position, and with it what follows that nothing can hold up any more: fewer events,
  /// the same times. A timeline shows every operation.
  void begin_work(Rank rank) {
    RankState& state = ranks_[rank];
    const std::vector<Operation>& operations = program_.ranks[rank].operations;
    const bool one = timeline_ != nullptr || !by_themselves || !driver_.may_join(rank);
    state.since_ns = driver_.now_ns();
    state.left_ns = 0;
    for (state.behind = state.position; state.behind < operations.size(); ++state.behind) {
      if (one && state.behind != state.position) break;
      const Operation& operation = operations[state.behind];
      if (operation.kind == Operation::Kind::compute || operation.kind == Operation::Kind::call) {
        const bool compute = operation.kind == Operation::Kind::compute;
        (compute ? run_.ranks[rank].compute_ns : run_.ranks[rank].call_ns) += operation.duration_ns;
        state.left_ns += operation.duration_ns;
      } else if ((operation.kind != Operation::Kind::wait && operation.kind != Operation::Kind::reserve) ||
                 !may_pass(rank, operation)) {
        break;
      }
    }
    work_on(rank);
  }

  void work_on(Rank rank) {
    RankState& state = ranks_[rank];
    state.slice_ns = messages_.slice(program_.ranks[rank].operations[state.position], state.left_ns);
    driver_.start_work(rank, state.slice_ns);
  }

  /// Whether the rank finds messages that take it time, which it begins.
  bool looks(Rank rank) {
    RankState& state = ranks_[rank];
    state.look_ns = messages_.look(rank, state.waiting ? state.since_ns : driver_.now_ns());
    if (state.look_ns == 0) return false;
    driver_.start_work(rank, state.look_ns);
    return true;
  }

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
          return begin_work(rank);
        case Operation::Kind::send:
          send(operation, state.frame);
          break;
        case Operation::Kind::write:
          if (--writes_left_[state.frame] == 0) run_.frame_done_ns[state.frame] = driver_.now_ns();
          break;
        default:
          if (!may_pass(rank, operation) && (by_themselves || looks(rank) || !may_pass(rank, operation)))
            return wait(rank);
          passed(rank, operation);
      }
      ++state.position;
    }
    if (!looks(rank)) wait(rank);  // for what others ask of its last messages
  }

  void begin_frame(Rank rank) {
    const std::uint64_t frame = ranks_[rank].frame;
    for (std::uint32_t i = receives_begin_[rank]; i < receives_begin_[rank + 1]; ++i)
      messages_.expect(receives_[i], frame);
    if (program_.ranks[rank].reads) run_.frame_begin_ns[frame] = std::min(run_.frame_begin_ns[frame], driver_.now_ns());
  }

  void send(const Operation& operation, std::uint64_t frame) {
    for (std::uint32_t message = operation.first; message < operation.last; ++message) {
      if (timeline_ != nullptr) timeline_->sent(message, frame, driver_.now_ns());
      messages_.send(message, frame);
    }
  }

  bool may_pass(Rank rank, const Operation& operation) const {
    const std::uint64_t frame = ranks_[rank].frame;
    switch (operation.kind) {
      case Operation::Kind::wait:
        return messages_.received(operation.first) > frame;
      case Operation::Kind::reserve:
        return completed(operation.first, operation.last,
                         frame + 1 - std::min<std::uint64_t>(frame + 1, program_.slots));
      default:
        return completed_all(rank);
    }
  }

  bool completed(std::uint32_t first, std::uint32_t last, std::uint64_t frames) const {
    for (std::uint32_t message = first; message < last; ++message)
      if (!program_.messages[message].eager && messages_.completed(message) < frames) return false;
    return true;
  }

  bool completed_all(Rank rank) const {
    for (const Operation& operation : program_.ranks[rank].operations)
      if (operation.kind == Operation::Kind::send &&
          !completed(operation.first, operation.last, ranks_[rank].frame + 1))
        return false;
    return true;
  }

  void wait(Rank rank) {
    RankState& state = ranks_[rank];
    if (!state.waiting) {
      state.waiting = true;
      state.since_ns = driver_.now_ns();
    }
    if (state.look_ns == 0) messages_.rest(rank, state.since_ns);
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
  Messages<Driver> messages_;
  Run run_;
  std::vector<RankState> ranks_;
  std::vector<std::size_t> writes_left_;  ///< by frame
  std::vector<std::uint32_t> receives_;   ///< messages by destination
  std::vector<std::uint32_t> receives_begin_;
};

}  // namespace spillway::pipeline
