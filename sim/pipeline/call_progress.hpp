#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <utility>
#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/paths.hpp"
#include "sim/pipeline/program.hpp"
#include "sim/pipeline/progress.hpp"
#include "sim/pipeline/timeline.hpp"
#include "sim/pipeline/token_buckets.hpp"

namespace spillway::pipeline {

/// A computing rank of the generated program calls the MPI library between the blocks of its layers (hw/kernels): these
/// take a tenth to a third of a millisecond on the processors at hand.
inline constexpr std::uint64_t block_ns = 200'000;

/// A waiting rank looks a few times and then sleeps, longer each time, up to a bound (hw/mpi/runtime/exchange.cpp).
/// Linux adds its timer slack of 50 us to each sleep.
inline constexpr std::uint64_t first_sleep_ns = 20'000, longest_sleep_ns = 500'000, timer_slack_ns = 55'000;

/// Bytes that TCP hands over at a time: what is left to copy when the last of a large message arrives at a rank that
/// waits for it (Open MPI's btl_tcp_max_send_size).
inline constexpr double fragment_bytes = 128 * 1024;

/// Messages that move only when their ranks look at them (Progress::calls), as Open MPI's do over TCP. The begin of a
/// message (all of it up to the eager limit) leaves at once; the receiver's look finds it and answers, the sender's
/// look finds the answer and hands the rest to the operating system, which sends it by itself. The copying takes a
/// core's time at these looks; a receiver that waits copies while the rest arrives. Between ranks of one board the
/// copies are all that there is to move: each end has half of their time.
template <class Driver>
class CallProgress {
 public:
  static constexpr bool move_by_themselves = false;

  /// All must outlive the object; `timeline` may be null. The driver's transfers have no latency of their own.
  CallProgress(const Program& program, const Machine& machine, std::uint64_t frames, Driver& driver, Timeline* timeline)
      : program_(program),
        machine_(machine),
        frames_(frames),
        driver_(driver),
        timeline_(timeline),
        messages_(program.messages.size()),
        ranks_(program.ranks.size()),
        buckets_(machine) {
    const Links links(machine);
    for (const Message& message : program.messages) {
      const Path path =
          path_between(program.ranks[message.source].placement, program.ranks[message.destination].placement, links);
      const std::size_t device = program.ranks[message.source].placement.device;
      const bool leaves = device != program.ranks[message.destination].placement.device;
      const double half_copy_s = 0.5 / machine.devices[device].memory_link.bytes_per_s;
      ways_.push_back({latency_ns(path, 0, links, machine), leaves ? machine.send_byte_s : half_copy_s,
                       leaves ? machine.receive_byte_s : half_copy_s, device, leaves});
    }
  }

  /// Work that the rank does before it looks at its messages again, of what is left. Only the overlapping program calls
  /// the library while it computes.
  std::uint64_t slice(const Operation& operation, std::uint64_t left_ns) const {
    const bool looks = program_.slots > 1 && operation.kind == Operation::Kind::compute;
    return looks ? std::min(left_ns, block_ns) : left_ns;
  }

  std::uint64_t look(Rank rank, std::uint64_t since_ns) {
    RankState& state = ranks_[rank];
    double cost_s = std::exchange(state.owed_s, 0);
    std::vector<std::uint32_t> found;
    found.swap(state.inbox);
    if (driver_.now_ns() >= state.again_ns) {
      found.insert(found.end(), state.again.begin(), state.again.end());
      state.again.clear();
    }
    for (const std::uint32_t number : found)
      cost_s += step(number, since_ns);
    return static_cast<std::uint64_t>(std::llround(cost_s * 1e9));
  }

  void rest(Rank rank, std::uint64_t since_ns) {
    RankState& state = ranks_[rank];
    if (state.since_ns != since_ns) {
      state.since_ns = state.look_ns = since_ns;
      state.sleep_ns = first_sleep_ns;
    }
    state.rests = true;
    if (!state.inbox.empty()) look_later(rank, driver_.now_ns());
    if (!state.again.empty()) look_later(rank, state.again_ns);
  }

  /// Posting a receive finds a message that is there already, and answers it.
  void expect(std::uint32_t message, std::uint64_t frame) {
    MessageState& state = messages_[message];
    state.expected = std::min<std::uint64_t>(frame + program_.slots, frames_);
    std::vector<std::uint32_t> there;
    there.swap(state.unexpected);
    for (const std::uint32_t number : there)
      ranks_[program_.messages[message].destination].owed_s += step(number, driver_.now_ns());
  }

  void send(std::uint32_t message, std::uint64_t frame) {
    const Message& what = program_.messages[message];
    const auto number = static_cast<std::uint32_t>(exchanges_.size());
    exchanges_.push_back({message, frame, what.bytes - begin_of(what.bytes), 0, Stage::begun});
    if (what.eager) ++messages_[message].completed;
    driver_.start_timer(ways_[message].latency_ns, 2 * number);
  }

  std::uint64_t received(std::uint32_t message) const { return messages_[message].received; }
  std::uint64_t completed(std::uint32_t message) const { return messages_[message].completed; }

  Woken delivered(std::uint32_t number) {
    Exchange& exchange = exchanges_[number];
    const Way& way = ways_[exchange.message];
    if (way.leaves) buckets_.end(way.device, driver_.now_ns());
    std::deque<Transfer>& connection = connection_of(exchange.message);
    connection.pop_front();
    if (!connection.empty()) start_transfer(connection.front());
    if (timeline_ != nullptr && (exchange.stage == Stage::rest_flows || exchange.rest_bytes == 0))
      timeline_->arrived(exchange.message, exchange.frame, driver_.now_ns());
    exchange.stage = exchange.stage == Stage::rest_flows ? Stage::rest_there : Stage::begin_there;
    note(program_.messages[exchange.message].destination, number);
    return {};
  }

  Woken timer(std::uint32_t token) {
    if (token % 2 != 0) {
      RankState& state = ranks_[token / 2];
      state.timer = false;
      if (!state.rests) return {};
      state.rests = false;
      return {{token / 2}, 1};
    }
    const std::uint32_t number = token / 2;
    Exchange& exchange = exchanges_[number];
    const Message& what = program_.messages[exchange.message];
    switch (exchange.stage) {
      case Stage::begun:
        queue_transfer(number, begin_of(what.bytes));
        break;
      case Stage::answered:
        exchange.stage = Stage::answer_there;
        note(what.source, number);
        break;
      default:
        queue_transfer(number, exchange.rest_bytes);
    }
    return {};
  }

 private:
  enum class Stage : std::uint8_t {
    begun,         ///< the begin of the message is under way
    begin_there,   ///< the receiver has not looked at it
    answered,      ///< the answer is under way
    answer_there,  ///< the sender has not looked at it
    rest_flows,    ///< the rest is under way
    rest_there,    ///< the receiver has not looked at it
    rest_seen,     ///< the receiver looks once more until the library says that the message is complete
  };
  /// A message of one frame.
  struct Exchange {
    std::uint32_t message = 0;
    std::uint64_t frame = 0;
    std::uint64_t rest_bytes = 0;
    std::uint64_t flows_ns = 0;  ///< when the rest begins to arrive
    Stage stage = Stage::begun;
  };
  /// How a message goes.
  struct Way {
    std::uint64_t latency_ns = 0;
    double send_byte_s = 0, receive_byte_s = 0;  ///< of a core
    std::size_t device = 0;                      ///< it comes from
    bool leaves = false;                         ///< the device
  };
  /// Bytes of an exchange on their way.
  struct Transfer {
    std::uint32_t number = 0;
    std::uint64_t bytes = 0;
  };
  struct MessageState {
    std::uint64_t expected = 0, received = 0, completed = 0;
    std::vector<std::uint32_t> unexpected;  ///< exchanges that have begun before their receive was posted
  };
  struct RankState {
    std::vector<std::uint32_t> inbox;  ///< exchanges that its next look finds
    std::vector<std::uint32_t> again;  ///< those that a look from again_ns on finds
    std::uint64_t again_ns = 0;
    std::uint64_t since_ns = ~std::uint64_t{0};
    std::uint64_t look_ns = 0, sleep_ns = 0;  ///< when it looks next, and how long it sleeps then
    double owed_s = 0;                        ///< of a core, for what was found outside a look
    bool rests = false, timer = false;
  };

  std::deque<Transfer>& connection_of(std::uint32_t message) {
    return connections_[{program_.messages[message].source, program_.messages[message].destination}];
  }

  std::uint64_t begin_of(std::uint64_t bytes) const { return std::min(bytes, machine_.eager_bytes); }

  /// Behind what is under way between the same ranks: they have one connection, which keeps the order.
  void queue_transfer(std::uint32_t number, std::uint64_t bytes) {
    std::deque<Transfer>& connection = connection_of(exchanges_[number].message);
    connection.push_back({number, bytes});
    if (connection.size() == 1) start_transfer(connection.front());
  }

  void start_transfer(const Transfer& transfer) {
    const auto [number, bytes] = transfer;
    const std::uint32_t message = exchanges_[number].message;
    const Way& way = ways_[message];
    const std::uint64_t left = way.leaves ? buckets_.begin(bytes, way.device, driver_.now_ns()) : bytes;
    driver_.start_transfer(message, std::max<std::uint64_t>(left, 1), number);
  }

  void note(Rank rank, std::uint32_t number) {
    ranks_[rank].inbox.push_back(number);
    if (ranks_[rank].rests) look_later(rank, driver_.now_ns());
  }

  /// At the first look of the waiting rank from that time on.
  void look_later(Rank rank, std::uint64_t from_ns) {
    RankState& state = ranks_[rank];
    if (state.timer) return;
    if (!program_.sleeps) state.look_ns = from_ns;
    while (state.look_ns < from_ns) {
      state.look_ns += state.sleep_ns + timer_slack_ns;
      state.sleep_ns = std::min(2 * state.sleep_ns, longest_sleep_ns);
    }
    state.timer = true;
    driver_.start_timer(state.look_ns - driver_.now_ns(), 2 * static_cast<std::uint32_t>(rank) + 1);
  }

  /// What a rank finds of an exchange, which waits since then; seconds of a core.
  double step(std::uint32_t number, std::uint64_t since_ns) {
    Exchange& exchange = exchanges_[number];
    const Message& what = program_.messages[exchange.message];
    MessageState& message = messages_[exchange.message];
    const Way& way = ways_[exchange.message];
    const auto rest = static_cast<double>(exchange.rest_bytes);
    switch (exchange.stage) {
      case Stage::begin_there:
        if (message.expected <= exchange.frame) {
          message.unexpected.push_back(number);
          return 0;
        }
        if (exchange.rest_bytes == 0) ++message.received;
        if (!what.eager) {
          exchange.stage = Stage::answered;
          driver_.start_timer(way.latency_ns, 2 * number);
        }
        return way.receive_byte_s * static_cast<double>(begin_of(what.bytes));
      case Stage::answer_there:
        ++message.completed;
        if (exchange.rest_bytes == 0) return 0;
        exchange.stage = Stage::rest_flows;
        exchange.flows_ns = driver_.now_ns() + way.latency_ns;
        driver_.start_timer(way.latency_ns, 2 * number);
        return way.send_byte_s * rest;
      case Stage::rest_seen:
        ++message.received;
        return 0;
      default: {
        const std::uint64_t now_ns = driver_.now_ns();
        const std::uint64_t from_ns = std::max(since_ns, exchange.flows_ns);
        const double waited_s = static_cast<double>(now_ns - std::min(now_ns, from_ns)) * 1e-9;
        const double cost_s =
            std::max(way.receive_byte_s * std::min(rest, fragment_bytes), way.receive_byte_s * rest - waited_s);
        exchange.stage = Stage::rest_seen;
        RankState& receiver = ranks_[what.destination];
        const bool sleeps = since_ns < now_ns && program_.sleeps;
        receiver.again.push_back(number);
        receiver.again_ns =
            now_ns + static_cast<std::uint64_t>(cost_s * 1e9) + 1 + (sleeps ? receiver.sleep_ns + timer_slack_ns : 0);
        return cost_s;
      }
    }
  }

  const Program& program_;
  const Machine& machine_;
  std::uint64_t frames_;
  Driver& driver_;
  Timeline* timeline_;
  std::vector<MessageState> messages_;
  std::vector<RankState> ranks_;
  std::vector<Exchange> exchanges_;
  std::vector<Way> ways_;  ///< by message
  std::map<std::pair<Rank, Rank>, std::deque<Transfer>> connections_;
  TokenBuckets buckets_;
};

}  // namespace spillway::pipeline
