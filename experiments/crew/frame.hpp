#pragma once

#include <cstdint>
#include <optional>
#include <string>

/// Worker processes on this and other machines, and what `spillway` and its launcher say to each other.
namespace spillway::crew {

/// What a frame is.
enum class Kind : std::uint32_t {
  hello,    ///< from a worker, before its first answer: its identity
  request,  ///< to a worker; it starts with its first one
  answer,   ///< in the order of the requests
  error,    ///< in an answer's place: what the request's evaluation threw
  ended,    ///< from the launcher: how the worker ended
};

/// A message. Both ends run on machines of the same byte order.
struct Frame {
  std::uint32_t worker = 0;
  Kind kind = Kind::request;
  std::string text;
};

/// The socket that the launcher leaves to the processes that it starts.
inline constexpr int launcher_descriptor = 3;

/// Set by the launcher: `worker`, or the number of workers for the process that gives them work.
inline constexpr const char* role_variable = "SPILLWAY_CREW";
inline constexpr const char* role_of_worker = "worker";

/// False: the other end has gone.
bool send(int socket, const Frame& frame);

/// Waits for a whole frame; nothing: the other end has gone.
std::optional<Frame> receive(int socket);

}  // namespace spillway::crew
