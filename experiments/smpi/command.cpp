#include "experiments/smpi/command.hpp"

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

namespace spillway::smpi {

std::string end_of(const std::filesystem::path& log) {
  constexpr std::size_t most = 2000;  // enough to see why a compiler or a simulation ended
  std::ifstream stream(log, std::ios::binary);
  std::string text{std::istreambuf_iterator<char>(stream), {}};
  while (text.ends_with('\n'))
    text.pop_back();
  return text.size() <= most ? text : "..." + text.substr(text.size() - most);
}

std::optional<std::filesystem::path> find_program(const std::string& name) {
  const char* const folders = std::getenv("PATH");
  std::istringstream list(folders == nullptr ? "" : folders);
  for (std::string folder; std::getline(list, folder, ':');) {
    const std::filesystem::path path = std::filesystem::path(folder) / name;
    if (::access(path.c_str(), X_OK) == 0) return path;
  }
  return std::nullopt;
}

void run_command(std::vector<std::string> words, const std::filesystem::path& log) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0644);
  ::posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  pid_t child = 0;
  const int error = ::posix_spawnp(&child, arguments.front(), &actions, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::system_error(error, std::generic_category(), words.front() + " cannot be started");
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), words.front());
  if (status != 0) throw std::runtime_error(fmt::format("{} failed:\n{}", words.front(), end_of(log)));
}

}  // namespace spillway::smpi
