#include "device_process.hpp"

#include <array>
#include <csignal>
#include <cstdlib>
#include <stdexcept>
#include <system_error>

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spillway::hil::tests {

DeviceProcess::DeviceProcess(const std::vector<std::string>& arguments, bool pty) {
  std::string name = (std::filesystem::temp_directory_path() / "spillway-hil-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no temporary folder");
  folder_ = name;
  std::vector<std::string> words = {SPILLWAY_HIL_DEVICE, pty ? "pty" : "unix:" + (folder_ / "port").string()};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);

  std::array<int, 2> ends{};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) throw std::runtime_error("no pipe");
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  const int error = ::posix_spawn(&process_, words.front().c_str(), &actions, nullptr, pointers.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  for (char letter = 0; error == 0 && ::read(ends[0], &letter, 1) == 1 && letter != '\n';)
    port_ += letter;
  ::close(ends[0]);
  if (port_.empty()) throw std::runtime_error("hil_device did not start");
}

DeviceProcess::~DeviceProcess() {
  if (process_ > 0) {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

}  // namespace spillway::hil::tests
