#include "tests/experiments/launcher/job.hpp"

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/paths/paths.hpp"

namespace spillway::launcher_test {
namespace {

namespace fs = std::filesystem;

int code_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void redirect(const std::string& path, int flags, int descriptor) {
  const int file = ::open(path.c_str(), flags, 0600);
  if (file < 0 || ::dup2(file, descriptor) < 0) ::_exit(127);
}

std::string text_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

/// Nothing for a process that has gone.
std::vector<pid_t> children_of(pid_t parent) {
  const std::string process = "/proc/" + std::to_string(parent);
  std::istringstream list(text_of(process + "/task/" + std::to_string(parent) + "/children"));
  std::vector<pid_t> children{std::istream_iterator<pid_t>(list), {}};
  std::ranges::sort(children);
  return children;
}

bool is_worker(pid_t process) {
  return text_of("/proc/" + std::to_string(process) + "/environ").find("SPILLWAY_CREW=worker") != std::string::npos;
}

}  // namespace

Job::Job(int ranks, const std::vector<std::string>& arguments, const std::vector<std::string>& options) {
  std::vector<std::string> words = {"mpirun", "-n", std::to_string(ranks), "--oversubscribe"};
  words.insert(words.end(), options.begin(), options.end());
  words.push_back(paths::program() + "-mpi");
  words.insert(words.end(), arguments.begin(), arguments.end());
  process_ = ::fork();
  if (process_ < 0) throw std::runtime_error("cannot fork");
  if (process_ > 0) return;
  redirect("/dev/null", O_RDONLY, STDIN_FILENO);
  redirect(streams_ / "out", O_WRONLY | O_CREAT | O_TRUNC, STDOUT_FILENO);
  redirect(streams_ / "err", O_WRONLY | O_CREAT | O_TRUNC, STDERR_FILENO);
  // Containers run as root; Open MPI does not unless it is told twice.
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT", "1", 1);
  ::setenv("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1", 1);
  // Open MPI itself leaves memory behind, which AddressSanitizer would take for ours.
  ::setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
  std::vector<char*> argv;
  for (std::string& word : words)
    argv.push_back(word.data());
  argv.push_back(nullptr);
  ::execvp(argv.front(), argv.data());
  ::_exit(127);
}

Job::~Job() {
  if (process_ <= 0) return;
  ::kill(process_, SIGTERM);
  ::waitpid(process_, nullptr, 0);
}

bool Job::is_over() {
  int status = 0;
  if (process_ > 0 && ::waitpid(process_, &status, WNOHANG) == process_) {
    process_ = 0;
    call_.exit_code = code_of(status);
  }
  return process_ == 0;
}

std::vector<pid_t> Job::ranks() const {
  return children_of(process_);
}

std::vector<pid_t> Job::workers() const {
  std::vector<pid_t> workers;
  for (const pid_t rank : ranks())
    std::ranges::copy_if(children_of(rank), std::back_inserter(workers), is_worker);
  return workers;
}

cli_test::Call Job::wait() {
  int status = 0;
  if (process_ > 0) {
    ::waitpid(process_, &status, 0);
    process_ = 0;
    call_.exit_code = code_of(status);
  }
  call_.out = text_of(streams_ / "out");
  call_.err = text_of(streams_ / "err");
  return call_;
}

}  // namespace spillway::launcher_test
