#include "experiments/traces/comparison.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <span>
#include <utility>

namespace spillway::traces {
namespace {

using trace::Record;

double seconds_of(const Record& record) {
  return static_cast<double>(record.end_ns - record.start_ns) * 1e-9;
}

bool takes_part(const core::Task& task, Scope scope) {
  return scope == Scope::all || core::is_io(task.kind) == (scope == Scope::io);
}

std::vector<Record> in_scope(const RunTrace& run, Scope scope) {
  std::vector<Record> records;
  std::ranges::copy_if(run.records, std::back_inserter(records),
                       [&](const Record& record) { return takes_part(record.task, scope); });
  return records;
}

std::vector<core::Task> started(std::span<const Record> records, bool io) {
  std::vector<core::Task> tasks;
  for (const Record& record : records)
    if (core::is_io(record.task.kind) == io) tasks.push_back(record.task);
  return tasks;
}

OrderComparison compare_order(std::span<const Record> simulated, std::span<const Record> measured, bool io) {
  const std::vector<core::Task> a = started(simulated, io), b = started(measured, io);
  const auto [in_a, in_b] = std::ranges::mismatch(a, b);
  OrderComparison result{a.size(), b.size(), static_cast<std::size_t>(in_a - a.begin()), {}};
  if (in_a == a.end() && in_b == b.end()) return result;
  result.difference = OrderDifference{result.same, {}, {}};
  if (in_a != a.end()) result.difference->simulated = *in_a;
  if (in_b != b.end()) result.difference->measured = *in_b;
  return result;
}

double makespan_of(std::span<const Record> records) {
  if (records.empty()) return 0;
  const std::uint64_t first = std::ranges::min(records, {}, &Record::start_ns).start_ns;
  const std::uint64_t last = std::ranges::max(records, {}, &Record::end_ns).end_ns;
  return static_cast<double>(last - first) * 1e-9;
}

/// Puts the tasks of both runs side by side.
void match(std::vector<Record> simulated, std::vector<Record> measured, Comparison& result) {
  const auto before = [](const Record& a, const Record& b) { return TaskOrder()(a.task, b.task); };
  std::ranges::sort(simulated, before);
  std::ranges::sort(measured, before);
  auto a = simulated.begin(), b = measured.begin();
  while (a != simulated.end() || b != measured.end()) {
    if (b == measured.end() || (a != simulated.end() && before(*a, *b))) {
      result.only_simulated.push_back((a++)->task);
    } else if (a == simulated.end() || before(*b, *a)) {
      result.only_measured.push_back((b++)->task);
    } else {
      result.tasks.push_back({a->task, {seconds_of(*a), seconds_of(*b)}});
      ++a;
      ++b;
    }
  }
}

void add(Compared& sum, const Compared& each) {
  sum.simulated += each.simulated;
  sum.measured += each.measured;
}

std::vector<ComparedLayer> layers_of(const std::vector<ComparedTask>& tasks, const RunTrace& simulated,
                                     const RunTrace& measured) {
  std::map<std::uint16_t, ComparedLayer> layers;
  for (const ComparedTask& each : tasks) {
    ComparedLayer& layer = layers[each.task.layer];
    layer.layer = each.task.layer;
    ++layer.tasks;
    add(core::is_io(each.task.kind) ? layer.io_s : layer.compute_s, each.seconds);
  }
  std::vector<ComparedLayer> result;
  for (auto& [number, layer] : layers) {
    layer.name = (simulated.layer_names.empty() ? measured : simulated).layer_name(number);
    result.push_back(std::move(layer));
  }
  return result;
}

/// Statistics of the layers that spend any time there.
template <class Time>
ErrorStatistics statistics_over(const std::vector<ComparedLayer>& layers, Time time_of) {
  std::vector<Compared> times;
  for (const ComparedLayer& layer : layers) {
    const Compared time = time_of(layer);
    if (time.simulated != 0 || time.measured != 0) times.push_back(time);
  }
  return statistics_of(times);
}

}  // namespace

Comparison compare(const RunTrace& simulated, const RunTrace& measured, Scope scope) {
  Comparison result;
  const std::vector<Record> a = in_scope(simulated, scope), b = in_scope(measured, scope);
  result.io = compare_order(a, b, true);
  result.compute = compare_order(a, b, false);
  result.makespan_s = {makespan_of(a), makespan_of(b)};
  match(a, b, result);
  result.layers = layers_of(result.tasks, simulated, measured);

  std::array<std::vector<Compared>, 4> by_kind;
  std::vector<Compared> all;
  for (const ComparedTask& each : result.tasks) {
    by_kind[static_cast<std::size_t>(each.task.kind)].push_back(each.seconds);
    all.push_back(each.seconds);
    add(core::is_io(each.task.kind) ? result.io_busy_s : result.compute_busy_s, each.seconds);
  }
  std::ranges::transform(by_kind, result.by_kind.begin(), [](const auto& times) { return statistics_of(times); });
  result.all_tasks = statistics_of(all);
  result.layer_io = statistics_over(result.layers, [](const ComparedLayer& layer) { return layer.io_s; });
  result.layer_compute = statistics_over(result.layers, [](const ComparedLayer& layer) { return layer.compute_s; });
  result.layer_busy = statistics_over(result.layers, [](const ComparedLayer& layer) { return layer.busy_s(); });
  return result;
}

}  // namespace spillway::traces
