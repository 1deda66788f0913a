#include "experiments/traces/prediction.hpp"

#include <algorithm>
#include <cstdint>
#include <map>

#include "sim/swap/simulate.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::traces {
namespace {

/// Keeps how long each task took.
class Durations final : public trace::Sink {
 public:
  void record(const trace::Record& record) override {
    seconds_[record.task] = static_cast<double>(record.end_ns - record.start_ns) * 1e-9;
  }
  void pools(const trace::PoolLevels&) override {}

  double of(const core::Task& task) const {
    const auto found = seconds_.find(task);
    return found == seconds_.end() ? 0 : found->second;
  }

 private:
  std::map<core::Task, double, TaskOrder> seconds_;
};

double measured_makespan(const Replay& replay) {
  std::uint64_t first = UINT64_MAX, last = 0;
  for (const ServedTask& task : replay.tasks) {
    first = std::min(first, task.ready_ns);
    last = std::max(last, task.record.end_ns);
  }
  return replay.tasks.empty() ? 0 : static_cast<double>(last - first) * 1e-9;
}

}  // namespace

ErrorStatistics Prediction::errors(const std::vector<bool>& held_out, bool of_held_out, bool io) const {
  std::vector<Compared> times;
  for (std::size_t row = 0; row < layers.size(); ++row) {
    const Compared& time = io ? layers[row].io_s : layers[row].compute_s;
    if (held_out[row] == of_held_out && time.measured > 0) times.push_back(time);
  }
  return statistics_of(times);
}

Prediction predict(const tiling::SwapPlan& plan, const Figures& figures, const Replay& replay) {
  Durations durations;
  swap::Options how;
  how.sink = &durations;
  const swap::Result result = swap::simulate(plan, figures.board, figures.card, how);
  Prediction prediction;
  prediction.layers.resize(plan.layers.size());
  prediction.makespan_s = {static_cast<double>(result.makespan_ns) * 1e-9, measured_makespan(replay)};
  for (const ServedTask& served : replay.tasks) {
    const core::Task& task = served.record.task;
    LayerPrediction& layer = prediction.layers[task.layer];
    Compared& time = core::is_io(task.kind) ? layer.io_s : layer.compute_s;
    time.simulated += durations.of(task);
    time.measured += static_cast<double>(served.service_ns()) * 1e-9;
  }
  return prediction;
}

}  // namespace spillway::traces
