#pragma once

#include <string>
#include <vector>

#include <sys/types.h>

namespace spillway::launcher {

/// A process that this rank started: `spillway`, with a socket to it. It knows nothing of MPI: the variables of Open
/// MPI are taken out of its environment, its descriptors closed, signals stand as a shell leaves them.
class Child {
 public:
  /// `role`: of crew::role_variable. Throws std::system_error.
  Child(const std::string& program, const std::vector<std::string>& arguments, const std::string& role);
  ~Child();
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;

  int socket() const { return socket_; }

  /// Waits for its end; its exit code, 128 + signal where one ended it.
  int wait();

  void kill();

 private:
  pid_t process_ = 0;
  int socket_ = -1;
  int code_ = 0;
};

}  // namespace spillway::launcher
