#include "experiments/crew/serve.hpp"

#include <charconv>
#include <csignal>
#include <cstdlib>
#include <exception>
#include <optional>
#include <stdexcept>
#include <string_view>

#include <fcntl.h>

#include "experiments/crew/frame.hpp"

namespace spillway::crew {

Role role() {
  const char* variable = std::getenv(role_variable);
  if (variable == nullptr) return {};
  const std::string_view text = variable;
  Role role;
  role.is_worker = text == role_of_worker;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), role.workers);
  const bool is_number = error == std::errc{} && end == text.data() + text.size() && role.workers > 0;
  if ((!role.is_worker && !is_number) || ::fcntl(launcher_descriptor, F_GETFD) < 0)
    throw std::runtime_error(std::string(role_variable) + " is set, but not by spillway-mpi; expected it unset");
  return role;
}

void serve(int socket, const std::string& identity, const std::function<std::string(const std::string&)>& answer) {
  std::signal(SIGINT, SIG_IGN);
  std::signal(SIGTERM, SIG_IGN);
  if (!send(socket, {0, Kind::hello, identity})) return;
  while (const std::optional<Frame> request = receive(socket)) {
    Frame reply{request->worker, Kind::answer, {}};
    try {
      reply.text = answer(request->text);
    } catch (const std::exception& error) {
      reply.kind = Kind::error;
      reply.text = error.what();
    }
    if (!send(socket, reply)) return;
  }
}

}  // namespace spillway::crew
