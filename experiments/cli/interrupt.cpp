#include "experiments/cli/interrupt.hpp"

#include <atomic>
#include <cstddef>
#include <string_view>

#include <unistd.h>

namespace spillway::cli {
namespace {

constexpr std::array signals = {SIGINT, SIGTERM, SIGXFSZ};

/// Set in the handler, on whichever thread the signal meets; read by the others.
std::atomic<bool> stop_requested = false;
static_assert(std::atomic<bool>::is_always_lock_free, "a signal handler may only touch lock-free atomics");

extern "C" void request_stop(int) {
  stop_requested = true;
  constexpr std::string_view note = "\nstops after the points that are running; once more stops at once\n";
  // Nothing can be done about a note that cannot be written.
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, note.data(), note.size());
}

}  // namespace

Interrupt::Interrupt() {
  stop_requested = false;
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

bool Interrupt::requested() {
  return stop_requested;
}

}  // namespace spillway::cli
