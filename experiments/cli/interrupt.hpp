#pragma once

#include <array>
#include <csignal>

namespace spillway::cli {

/// While it lives, Ctrl-C (SIGINT) and SIGTERM only ask to stop, and a second one ends the program at once; a file that
/// grows past the process's limit gives an error instead of the signal SIGXFSZ. A signal that the caller of the program
/// ignores stays ignored. One at a time.
class Interrupt {
 public:
  Interrupt();
  ~Interrupt();
  Interrupt(const Interrupt&) = delete;
  Interrupt& operator=(const Interrupt&) = delete;

  /// Since the last one began.
  static bool requested();

 private:
  std::array<struct sigaction, 3> before_{};
};

}  // namespace spillway::cli
