#include "experiments/crew/frame.hpp"

#include <cerrno>
#include <cstddef>
#include <cstring>

#include <sys/socket.h>

namespace spillway::crew {
namespace {

struct Head {
  std::uint32_t worker;
  Kind kind;
  std::uint64_t bytes;
};

bool read_all(int socket, char* to, std::size_t bytes) {
  while (bytes > 0) {
    const ssize_t got = ::recv(socket, to, bytes, 0);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    to += got;
    bytes -= static_cast<std::size_t>(got);
  }
  return true;
}

}  // namespace

bool send(int socket, const Frame& frame) {
  const Head head{frame.worker, frame.kind, frame.text.size()};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes += frame.text;
  for (std::size_t sent = 0; sent < bytes.size();) {
    const ssize_t more = ::send(socket, bytes.data() + sent, bytes.size() - sent, MSG_NOSIGNAL);
    if (more < 0 && errno == EINTR) continue;
    if (more <= 0) return false;
    sent += static_cast<std::size_t>(more);
  }
  return true;
}

std::optional<Frame> receive(int socket) {
  Head head{};
  if (!read_all(socket, reinterpret_cast<char*>(&head), sizeof head)) return std::nullopt;
  Frame frame{head.worker, head.kind, std::string(head.bytes, '\0')};
  if (!read_all(socket, frame.text.data(), frame.text.size())) return std::nullopt;
  return frame;
}

}  // namespace spillway::crew
