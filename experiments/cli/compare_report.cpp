#include "experiments/cli/compare_report.hpp"

#include <cmath>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "experiments/cli/table.hpp"
#include "platforms/units.hpp"
#include "sim/trace/names.hpp"

namespace spillway::cli {
namespace {

using nlohmann::ordered_json;
using traces::Compared;
using traces::Comparison;
using traces::ErrorStatistics;
using traces::RunTrace;

std::string percent(std::optional<double> share) {
  return share ? fmt::format("{:.2f} %", *share * 100) : "-";
}

std::string time(double seconds) {
  return platforms::format_seconds(seconds);
}

std::string order_text(std::string_view resource, const traces::OrderComparison& order, const RunTrace& simulated,
                       const RunTrace& measured) {
  if (!order.difference) {
    return order.simulated == 0
               ? ""
               : report_line(resource, fmt::format("the same {} decisions", with_thousands(order.simulated)));
  }
  const auto what = [](const std::optional<core::Task>& task, const RunTrace& run) {
    return task ? describe(*task, run) : std::string("nothing more");
  };
  // A board's trace has no names; the other one knows them.
  const RunTrace& named = measured.layer_names.empty() ? simulated : measured;
  return report_line(resource, fmt::format("the first {} decisions are the same, then", with_thousands(order.same))) +
         report_line("", "simulated: " + what(order.difference->simulated, simulated)) +
         report_line("", "measured:  " + what(order.difference->measured, named));
}

std::string missing_text(std::string_view whose, const std::vector<core::Task>& tasks, const RunTrace& run) {
  if (tasks.empty()) return "";
  return report_line("tasks", fmt::format("{} are {} only, the first: {}", with_thousands(tasks.size()), whose,
                                          describe(tasks.front(), run)));
}

std::string line_text(const RunTrace& run) {
  const trace::WireStatistics& line = run.line;
  std::string text;
  if (line.damaged_frames > 0 || line.lost_messages > 0)
    text += report_line("line", fmt::format("{}: {} damaged frames, {} messages lost", run.name, line.damaged_frames,
                                            line.lost_messages));
  if (line.restarts > 0)
    text += report_line("line",
                        fmt::format("{}: the board began {} times; the last run counts", run.name, line.restarts + 1));
  if (run.serial_waits > 0)
    text += report_line("line", fmt::format("{}: the board waited {} times for its serial port: the trace slowed it",
                                            run.name, run.serial_waits));
  if (run.end && run.end->code != 0)
    text += report_line("line", fmt::format("{}: the board ended with error {}", run.name, run.end->code));
  if (run.start && !run.end) text += report_line("line", run.name + ": no end: the trace was cut short");
  return text;
}

std::vector<std::string> cells(const std::string& name, const ErrorStatistics& statistics) {
  return {name,
          with_thousands(statistics.count),
          signed_percent(statistics.of_sums),
          signed_percent(statistics.mean),
          percent(statistics.mean_absolute),
          statistics.correlation ? fmt::format("{:.4f}", *statistics.correlation) : "-"};
}

std::string error_table(const Comparison& comparison) {
  Table table(
      {{"errors of"}, {"number", true}, {"sum", true}, {"mean", true}, {"mean absolute", true}, {"correlation", true}});
  for (const core::TaskKind kind : trace::task_kinds) {
    const ErrorStatistics& statistics = comparison.by_kind[static_cast<std::size_t>(kind)];
    if (statistics.count > 0) table.row(cells(fmt::format("{} tasks", trace::to_string(kind)), statistics));
  }
  table.row(cells("all tasks", comparison.all_tasks));
  if (comparison.layer_io.count > 0 && comparison.layer_compute.count > 0) {
    table.row(cells("layers, IO", comparison.layer_io));
    table.row(cells("layers, compute", comparison.layer_compute));
  }
  table.row(cells("layers", comparison.layer_busy));
  return table.text();
}

std::string layer_table(const Comparison& comparison) {
  Table table({{"layer"},
               {"name"},
               {"tasks", true},
               {"IO simulated", true},
               {"measured", true},
               {"error", true},
               {"compute simulated", true},
               {"measured", true},
               {"error", true}});
  for (const traces::ComparedLayer& layer : comparison.layers) {
    table.row({std::to_string(layer.layer), layer.name, with_thousands(layer.tasks), time(layer.io_s.simulated),
               time(layer.io_s.measured), signed_percent(layer.io_s.relative_error()), time(layer.compute_s.simulated),
               time(layer.compute_s.measured), signed_percent(layer.compute_s.relative_error())});
  }
  return table.text();
}

std::string total_table(const Comparison& comparison) {
  Table table({{"total"}, {"simulated", true}, {"measured", true}, {"error", true}});
  const auto row = [&](const std::string& name, const Compared& seconds) {
    if (seconds.simulated != 0 || seconds.measured != 0)
      table.row({name, time(seconds.simulated), time(seconds.measured), signed_percent(seconds.relative_error())});
  };
  row("makespan", comparison.makespan_s);
  row("IO", comparison.io_busy_s);
  row("compute", comparison.compute_busy_s);
  return table.text();
}

ordered_json number(std::optional<double> value) {
  return value ? ordered_json(*value) : ordered_json(nullptr);
}

ordered_json json_of(const Compared& seconds) {
  return {{"simulated_s", seconds.simulated},
          {"measured_s", seconds.measured},
          {"relative_error", number(seconds.relative_error())}};
}

ordered_json json_of(const ErrorStatistics& statistics) {
  return {{"count", statistics.count},
          {"unmeasured", statistics.unmeasured},
          {"relative_error_of_sums", number(statistics.of_sums)},
          {"mean_relative_error", number(statistics.mean)},
          {"mean_absolute_relative_error", number(statistics.mean_absolute)},
          {"correlation", number(statistics.correlation)}};
}

ordered_json json_of(const core::Task& task) {
  return {{"frame", task.frame},
          {"layer", task.layer},
          {"tile", task.tile},
          {"kind", trace::to_string(task.kind)},
          {"index", task.index}};
}

ordered_json json_of(const traces::OrderComparison& order) {
  ordered_json json = {
      {"simulated_tasks", order.simulated}, {"measured_tasks", order.measured}, {"same_tasks", order.same}};
  if (order.difference) {
    const auto task = [](const std::optional<core::Task>& each) {
      return each ? json_of(*each) : ordered_json(nullptr);
    };
    json["first_difference"] = {{"position", order.difference->position},
                                {"simulated", task(order.difference->simulated)},
                                {"measured", task(order.difference->measured)}};
  }
  return json;
}

ordered_json timeline_of(const RunTrace& run) {
  ordered_json tasks = ordered_json::array();
  for (const trace::Record& record : run.records) {
    ordered_json task = json_of(record.task);
    task["start_ns"] = record.start_ns;
    task["end_ns"] = record.end_ns;
    tasks.push_back(std::move(task));
  }
  return tasks;
}

}  // namespace

std::string signed_percent(std::optional<double> share) {
  return share ? fmt::format("{:+.2f} %", *share * 100) : "-";
}

std::vector<std::string> misses(const Comparison& comparison, const ComparisonBounds& bounds) {
  std::vector<std::string> missed;
  if (bounds.any() && !comparison.same_tasks()) {
    missed.push_back(fmt::format("the runs have different tasks: {} are simulated only, {} measured only",
                                 comparison.only_simulated.size(), comparison.only_measured.size()));
  }
  const auto over = [&](const std::string& what, std::optional<double> error, std::optional<double> bound) {
    if (!bound) return;
    if (!error) {
      missed.push_back(fmt::format("{} has no error: nothing was measured", what));
    } else if (std::abs(*error) > *bound) {
      missed.push_back(fmt::format("{} is {}; the bound is {}", what, percent(std::abs(*error)), percent(*bound)));
    }
  };
  over("the error of the makespan", comparison.makespan_s.relative_error(), bounds.makespan);
  over("the mean absolute error of layers", comparison.layer_busy.mean_absolute, bounds.layers);
  if (bounds.same_order && !comparison.same_order()) missed.emplace_back("the decisions differ");
  return missed;
}

std::string report(const Comparison& comparison, const RunTrace& simulated, const RunTrace& measured) {
  std::string text = report_line("simulated", simulated.name) + report_line("measured", measured.name);
  text += line_text(simulated) + line_text(measured);
  text += order_text("IO", comparison.io, simulated, measured);
  text += order_text("compute", comparison.compute, simulated, measured);
  text += missing_text("simulated", comparison.only_simulated, simulated);
  text += missing_text("measured", comparison.only_measured, measured);
  if (comparison.tasks.empty()) return text;
  return text + '\n' + total_table(comparison) + '\n' + layer_table(comparison) + '\n' + error_table(comparison);
}

std::string to_json(const Comparison& comparison, const RunTrace& simulated, const RunTrace& measured,
                    const std::vector<std::string>& missed, bool timelines) {
  ordered_json json;
  json["schema"] = 1;
  json["simulated"] = simulated.name;
  json["measured"] = measured.name;
  json["misses"] = missed;
  json["makespan"] = json_of(comparison.makespan_s);
  json["io"] = json_of(comparison.io_busy_s);
  json["compute"] = json_of(comparison.compute_busy_s);
  json["order"] = {{"io", json_of(comparison.io)}, {"compute", json_of(comparison.compute)}};
  json["tasks_simulated_only"] = comparison.only_simulated.size();
  json["tasks_measured_only"] = comparison.only_measured.size();
  for (const core::TaskKind kind : trace::task_kinds)
    json["errors"][std::string(trace::to_string(kind))] = json_of(comparison.by_kind[static_cast<std::size_t>(kind)]);
  json["errors"]["tasks"] = json_of(comparison.all_tasks);
  json["errors"]["layers_io"] = json_of(comparison.layer_io);
  json["errors"]["layers_compute"] = json_of(comparison.layer_compute);
  json["errors"]["layers"] = json_of(comparison.layer_busy);
  json["layers"] = ordered_json::array();
  for (const traces::ComparedLayer& layer : comparison.layers) {
    json["layers"].push_back({{"layer", layer.layer},
                              {"name", layer.name},
                              {"tasks", layer.tasks},
                              {"io", json_of(layer.io_s)},
                              {"compute", json_of(layer.compute_s)}});
  }
  if (timelines) {
    json["timelines"]["simulated"] = timeline_of(simulated);
    json["timelines"]["measured"] = timeline_of(measured);
  }
  return json.dump(timelines ? -1 : 2, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace spillway::cli
