#include <cerrno>
#include <cstring>
#include <system_error>

#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/report.hpp"
#include "platforms/catalogue.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {

namespace {

/// Runs a drawing of scripts/ and waits for it.
std::optional<std::string> draw(const std::string& name, const std::vector<std::filesystem::path>& files) {
  const std::string script = (platforms::data_directory() / "scripts" / name).string();
  std::vector<std::string> words = {script};
  for (const std::filesystem::path& file : files)
    words.push_back(file.string());
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

}  // namespace

std::optional<std::string> draw_figures(const std::vector<std::filesystem::path>& directories) {
  return draw("plot-figures", directories);
}

std::optional<std::string> draw_comparison(const std::string& json, const std::filesystem::path& picture) {
  // In a folder of its own: the drawing's identifiers are made of its name.
  std::filesystem::path folder = picture;
  folder += fmt::format(".partial-{}", ::getpid());
  std::error_code error;
  std::filesystem::create_directory(folder, error);
  if (error) return fmt::format("{}: {}", folder.string(), error.message());
  trace::write_file(folder / "comparison.json", json);
  std::optional<std::string> problem =
      draw("plot-comparison", {folder / "comparison.json", folder / picture.filename()});
  if (!problem) std::filesystem::rename(folder / picture.filename(), picture, error);
  if (error) problem = fmt::format("{}: {}", picture.string(), error.message());
  std::filesystem::remove_all(folder, error);
  return problem;
}

}  // namespace spillway::experiments
