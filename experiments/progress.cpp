#include "experiments/progress.hpp"

#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "platforms/units.hpp"

namespace spillway::experiments {
namespace {

constexpr auto refresh = std::chrono::milliseconds(100);

}  // namespace

Progress::Progress(std::FILE* stream, std::string what, bool on_terminal)
    : stream_(stream), what_(std::move(what)), on_terminal_(on_terminal) {}

Progress::Progress(std::FILE* stream, std::string what, std::size_t already)
    : Progress(stream, std::move(what), ::isatty(::fileno(stream)) == 1) {
  already_ = already;
}

Progress::~Progress() {
  if (on_terminal_ && shown_ != Clock::time_point{}) fmt::print(stream_, "\n");
}

void Progress::report(std::size_t finished, std::size_t all) {
  if (on_terminal_) {
    if (finished < all && Clock::now() - shown_ < refresh) return;
    shown_ = Clock::now();
    fmt::print(stream_, "\r{}\x1b[K", line(finished, all));
    std::fflush(stream_);
    return;
  }
  const std::size_t tenths = finished * 10 / all;
  if (tenths == tenths_) return;
  tenths_ = tenths;
  fmt::print(stream_, "{}\n", line(finished, all));
}

std::string Progress::line(std::size_t finished, std::size_t all) const {
  const double elapsed_s = std::chrono::duration<double>(Clock::now() - start_).count();
  std::string text = fmt::format("{}: {} of {} points, {} %", what_, finished, all, finished * 100 / all);
  if (finished == all) return text + fmt::format(", {}", platforms::format_seconds(elapsed_s));
  const double left_s = elapsed_s / static_cast<double>(finished - already_) * static_cast<double>(all - finished);
  return text + fmt::format(", about {} left", platforms::format_seconds(left_s));
}

}  // namespace spillway::experiments
