#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include <simgrid/s4u.hpp>

/// SimGrid's engine. A process has one, with one platform at a time; not for several threads.
namespace spillway::engine {

/// A message takes latency + bytes / its share of the bandwidth, and several latencies where it is large.
struct Messages {
  std::uint64_t eager_bytes = 0;    ///< larger messages are agreed upon first
  double rendezvous_latencies = 1;  ///< of a larger message
};

/// Makes `name` the platform that the engine has: builds it by `build`, which makes and seals the zones, unless the
/// last call was for the same name. Hosts and links of another platform are gone then. Transfers follow SimGrid's model
/// of MPI without cross-traffic. `messages` may be null for a platform without transfers. Throws std::runtime_error
/// where a process asks for two kinds of messages: SimGrid reads them once.
void use_platform(const std::string& name, const std::function<void()>& build, const Messages* messages);

/// Runs from time 0: `begin` starts activities, `completed` is told of each that ends and may start others. Returns
/// when nothing is under way any more.
void run(const std::function<void()>& begin, const std::function<void(const simgrid::s4u::Activity&)>& completed);

/// The time of the run, nanoseconds.
std::uint64_t now_ns();

}  // namespace spillway::engine
