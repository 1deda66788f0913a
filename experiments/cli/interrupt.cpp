#include "experiments/cli/interrupt.hpp"

#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace spillway::cli {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGXFSZ};

volatile std::sig_atomic_t stop_requested = 0;

extern "C" void request_stop(int) {
  stop_requested = 1;
  constexpr std::string_view note = "\nstops after the points that are running; once more stops at once\n";
  // Nothing can be done about a note that cannot be written.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, note.data(), note.size());
}

}  // namespace

Interrupt::Interrupt() {
  stop_requested = 0;
  for (std::size_t i = 0; i < signals.size(); ++i) {
    ::sigaction(signals[i], nullptr, &before_[i]);
    if (before_[i].sa_handler == SIG_IGN) continue;
    struct sigaction action {};
    ::sigemptyset(&action.sa_mask);
    action.sa_flags = static_cast<int>(SA_RESETHAND | SA_RESTART);
    action.sa_handler = signals[i] == SIGXFSZ ? SIG_IGN : request_stop;
    ::sigaction(signals[i], &action, nullptr);
  }
}

Interrupt::~Interrupt() {
  for (std::size_t i = 0; i < signals.size(); ++i)
    ::sigaction(signals[i], &before_[i], nullptr);
}

bool Interrupt::requested() const {
  return stop_requested != 0;
}

}  // namespace spillway::cli
