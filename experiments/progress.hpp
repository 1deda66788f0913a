#pragma once

#include <chrono>
#include <cstddef>
#include <cstdio>
#include <string>

namespace spillway::experiments {

/// Says how far long work is and how long it will still take: on a terminal one line that is rewritten, elsewhere a
/// plain line about every tenth of the work.
class Progress {
 public:
  Progress(std::FILE* stream, std::string what, bool on_terminal);
  /// Finds out whether the stream is a terminal. `already` points were finished by an earlier run: they say nothing
  /// about the time that is left.
  Progress(std::FILE* stream, std::string what, std::size_t already = 0);
  /// Ends the line of a terminal.
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void report(std::size_t finished, std::size_t all);

 private:
  using Clock = std::chrono::steady_clock;

  std::string line(std::size_t finished, std::size_t all) const;

  std::FILE* stream_;
  std::string what_;
  bool on_terminal_;
  std::size_t already_ = 0;
  Clock::time_point start_ = Clock::now();
  Clock::time_point shown_{};
  std::size_t tenths_ = 0;
};

}  // namespace spillway::experiments
