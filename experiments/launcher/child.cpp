#include "experiments/launcher/child.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "experiments/crew/frame.hpp"

namespace spillway::launcher {
namespace {

void check(int error, const std::string& what) {
  if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

std::vector<std::string> environment_with(const std::string& role) {
  const std::string variable = std::string(crew::role_variable) + '=';
  std::vector<std::string> kept;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    bool is_kept = !text.starts_with(variable);
    for (const char* prefix : {"OMPI_", "PMIX_", "ORTE_", "OPAL_"})
      is_kept = is_kept && !text.starts_with(prefix);
    if (is_kept) kept.emplace_back(text);
  }
  kept.push_back(variable + role);
  return kept;
}

std::vector<char*> pointers(std::vector<std::string>& words) {
  std::vector<char*> list;
  for (std::string& word : words)
    list.push_back(word.data());
  list.push_back(nullptr);
  return list;
}

/// What posix_spawn is told beside program, words and environment.
class Preparation {
 public:
  explicit Preparation(int socket) {
    ::posix_spawn_file_actions_init(&files_);
    ::posix_spawnattr_init(&attributes_);
    check(::posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0), "/dev/null");
    check(::posix_spawn_file_actions_adddup2(&files_, socket, crew::launcher_descriptor), "dup2");
    check(::posix_spawn_file_actions_addclosefrom_np(&files_, crew::launcher_descriptor + 1), "closefrom");
    sigset_t none, all;
    ::sigemptyset(&none);
    ::sigfillset(&all);
    check(::posix_spawnattr_setsigmask(&attributes_, &none), "signals");
    check(::posix_spawnattr_setsigdefault(&attributes_, &all), "signals");
    check(::posix_spawnattr_setflags(&attributes_, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF), "signals");
  }
  ~Preparation() {
    ::posix_spawn_file_actions_destroy(&files_);
    ::posix_spawnattr_destroy(&attributes_);
  }
  Preparation(const Preparation&) = delete;
  Preparation& operator=(const Preparation&) = delete;

  const posix_spawn_file_actions_t* files() const { return &files_; }
  const posix_spawnattr_t* attributes() const { return &attributes_; }

 private:
  posix_spawn_file_actions_t files_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

Child::Child(const std::string& program, const std::vector<std::string>& arguments, const std::string& role) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) check(errno, "cannot make a socket");
  socket_ = ends[0];
  const Preparation preparation(ends[1]);
  std::vector<std::string> words = {program}, variables = environment_with(role);
  words.insert(words.end(), arguments.begin(), arguments.end());
  const int error = ::posix_spawn(&process_, program.c_str(), preparation.files(), preparation.attributes(),
                                  pointers(words).data(), pointers(variables).data());
  ::close(ends[1]);
  if (error == 0) return;
  ::close(socket_);
  check(error, "cannot start " + program);
}

Child::~Child() {
  if (process_ > 0) {
    kill();
    wait();
  }
  ::close(socket_);
}

int Child::wait() {
  if (process_ <= 0) return code_;
  int status = 0;
  while (::waitpid(process_, &status, 0) < 0 && errno == EINTR) {
  }
  process_ = 0;
  return code_ = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void Child::kill() {
  if (process_ > 0) ::kill(process_, SIGKILL);
}

}  // namespace spillway::launcher
