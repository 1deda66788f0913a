#include "agreement.hpp"

#include <cmath>

#include <fmt/format.h>

#include "models/zoo.hpp"

namespace spillway::swap {
namespace {

std::string text(const trace::Record& record) {
  return fmt::format("kind {} frame {} layer {} tile {} index {} [{}, {}] ns", static_cast<int>(record.task.kind),
                     record.task.frame, record.task.layer, record.task.tile, record.task.index, record.start_ns,
                     record.end_ns);
}

class Recorder : public trace::Sink {
 public:
  void record(const trace::Record& record) override { records.push_back(record); }
  void pools(const trace::PoolLevels&) override {}

  std::vector<trace::Record> records;
};

/// Compares a run with the recorded one as it goes.
class Comparer : public trace::Sink {
 public:
  Comparer(const std::vector<trace::Record>& expected, bool exact) : expected_(expected), exact_(exact) {}

  void record(const trace::Record& record) override {
    if (!difference.empty() || tie) return;
    if (at_ >= expected_.size()) {
      difference = fmt::format("SimGrid goes on after the virtual clock's {} tasks: {}", at_, text(record));
      return;
    }
    const trace::Record& other = expected_[at_];
    if (!exact_ && close_to_a_neighbour()) {
      tie = true;
      return;
    }
    const std::uint64_t tolerance = 1 + other.end_ns / (exact_ ? 1'000'000'000 : 1'000'000);
    const bool same = record.task == other.task && apart(record.start_ns, other.start_ns) <= tolerance &&
                      apart(record.end_ns, other.end_ns) <= tolerance && record.bytes == other.bytes;
    if (!same) difference = fmt::format("task {}: virtual clock {}, SimGrid {}", at_, text(other), text(record));
    ++at_;
  }
  void pools(const trace::PoolLevels&) override {}

  std::string difference;
  bool tie = false;

 private:
  static std::uint64_t apart(std::uint64_t a, std::uint64_t b) { return a > b ? a - b : b - a; }

  bool close_to_a_neighbour() const {
    const std::uint64_t end = expected_[at_].end_ns;
    return (at_ > 0 && end - expected_[at_ - 1].end_ns < 10) ||
           (at_ + 1 < expected_.size() && expected_[at_ + 1].end_ns - end < 10);
  }

  const std::vector<trace::Record>& expected_;
  bool exact_;
  std::size_t at_ = 0;
};

}  // namespace

std::vector<GridPoint> figure_grid(std::vector<std::uint32_t> frames) {
  constexpr std::uint64_t kib = 1024;
  std::vector<GridPoint> grid;
  for (const char* network : {"vgg16", "alexnet", "mobilenet-dense-depthwise"}) {
    for (std::uint64_t sram : {512, 1024, 2048, 4096, 8192}) {
      for (std::uint64_t buffer : {16, 32, 64, 128, 256, 512}) {
        if (sram / buffer < 4) continue;
        for (const Mode mode : {Mode::parallel, Mode::sequential}) {
          for (const std::uint32_t count : frames)
            grid.push_back({network, sram * kib, buffer * kib, mode, count});
        }
      }
    }
  }
  return grid;
}

tiling::SwapPlan plan_of(const GridPoint& point) {
  tiling::Request request;
  request.sram_bytes = point.sram_bytes;
  request.buffer_bytes = point.buffer_bytes;
  request.frames = point.frames;
  return tiling::make_plan(*models::zoo(point.network), request);
}

std::string to_string(const GridPoint& point) {
  return fmt::format("{}, {} KiB SRAM, {} KiB buffers, {}, {} frames", point.network, point.sram_bytes / 1024,
                     point.buffer_bytes / 1024, point.mode == Mode::parallel ? "parallel" : "sequential", point.frames);
}

std::string disagreement(const tiling::SwapPlan& plan, const platforms::Board& board, const platforms::Card& card,
                         Mode mode, Crypto crypto) {
  Recorder recorder;
  const Result virtual_clock = simulate(plan, board, card, {mode, Driver::virtual_clock, &recorder, crypto});
  const bool exact = board.contention.value == 0;
  Comparer comparer(recorder.records, exact);
  const Result simgrid = simulate(plan, board, card, {mode, Driver::simgrid, &comparer, crypto});
  if (!comparer.difference.empty()) return comparer.difference;
  if (virtual_clock.tasks != simgrid.tasks) return "different numbers of tasks";
  const double ratio = static_cast<double>(simgrid.makespan_ns) / static_cast<double>(virtual_clock.makespan_ns);
  const double tolerance = exact ? 1e-9 : 1e-6;
  if (!comparer.tie && std::abs(ratio - 1) > tolerance) {
    return fmt::format("makespan {} ns on the virtual clock, {} ns on SimGrid", virtual_clock.makespan_ns,
                       simgrid.makespan_ns);
  }
  return {};
}

}  // namespace spillway::swap
