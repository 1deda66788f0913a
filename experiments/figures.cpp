#include <cerrno>
#include <cstring>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/report.hpp"
#include "platforms/catalogue.hpp"

namespace spillway::experiments {

std::optional<std::string> draw_figures(const std::vector<std::filesystem::path>& directories) {
  const std::string script = (platforms::data_directory() / "scripts" / "plot-figures").string();
  std::vector<std::string> words = {script};
  for (const std::filesystem::path& directory : directories)
    words.push_back(directory.string());
  std::vector<char*> arguments;
  for (std::string& word : words)
    arguments.push_back(word.data());
  arguments.push_back(nullptr);

  ::pid_t process = 0;
  if (const int error = ::posix_spawn(&process, script.c_str(), nullptr, nullptr, arguments.data(), environ)) {
    return fmt::format("{} cannot be started: {}", script, std::strerror(error));
  }
  int status = 0;
  while (::waitpid(process, &status, 0) < 0) {
    if (errno != EINTR) return fmt::format("{}: {}", script, std::strerror(errno));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return std::nullopt;
  return fmt::format("{} failed; it needs the Debian package python3-matplotlib", script);
}

}  // namespace spillway::experiments
