#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <stdexcept>
#include <string>
#include <variant>
#include <vector>

#include "hw/hil/host/line.hpp"
#include "hw/hil/messages.hpp"

namespace spillway::hil {

/// The device does not answer, cannot do what it is asked for, or has ended; the message says which.
class PeerError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// How long an answer is waited for, and how often the question is repeated.
struct Patience {
  std::chrono::milliseconds answer{1000};
  unsigned repeats = 3;
};

/// What happened on the line.
struct LineStatistics {
  std::uint64_t sent = 0;            ///< messages, those repeated included
  std::uint64_t repeated = 0;        ///< for want of an answer
  std::uint64_t damaged_frames = 0;  ///< that came
  std::uint64_t other_messages = 0;  ///< whole, but no answer to what was asked: of a trace, or late
};

/// A device in lockstep.
class Peer {
 public:
  /// `line` must outlive it.
  Peer(Line& line, Patience patience) : line_(line), patience_(patience) {}

  struct Device {
    Hello hello;  ///< without its text
    std::string program;
  };

  // All throw PeerError and LineError.
  Device greet(std::uint32_t session);
  Decisions step(const Step& step);
  /// Does not insist on an answer: the run is over.
  void stop(StopCode code);

  const LineStatistics& statistics() const { return statistics_; }

 private:
  using Payload = std::vector<std::uint8_t>;

  /// Sends until `accept` takes an answer.
  void ask(const Writer& question, const std::string& what, const std::function<bool(Type, Reader)>& accept);
  /// Whether an accepted answer came before the deadline.
  bool await(std::chrono::steady_clock::time_point deadline, const std::function<bool(Type, Reader)>& accept);
  bool take(const Payload& payload, const std::function<bool(Type, Reader)>& accept);

  Line& line_;
  Patience patience_;
  LineStatistics statistics_;
  Payload frame_;                 ///< as far as it has come
  std::vector<Payload> waiting_;  ///< that came with an earlier one
};

}  // namespace spillway::hil
