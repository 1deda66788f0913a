#include "experiments/cli/calibrate_trace.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/compare_report.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/cli/trace_option.hpp"
#include "experiments/traces/fit.hpp"
#include "experiments/traces/prediction.hpp"
#include "experiments/traces/replay.hpp"
#include "platforms/units.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

using platforms::Unit;
using traces::Figures;
using traces::Prediction;

/// The rows that are held out, by name or as usual.
std::vector<bool> read_held_out(const std::vector<std::string>& names, const tiling::SwapPlan& plan, Request& request) {
  if (names.empty()) return traces::usual_hold_out(plan.view());
  std::vector<bool> held_out(plan.layers.size());
  for (const std::string& name : names) {
    const auto found = std::ranges::find(plan.layer_names, name);
    if (found == plan.layer_names.end()) {
      request.problem("--hold-out", unknown("layer", name, plan.layer_names,
                                            fmt::format("expected one of {}", fmt::join(plan.layer_names, ", "))));
    } else {
      held_out[static_cast<std::size_t>(found - plan.layer_names.begin())] = true;
    }
  }
  if (std::ranges::find(held_out, false) == held_out.end())
    request.problem("--hold-out", "every layer is left out; expected at least one that is fitted");
  return held_out;
}

std::string figure_cell(double value, Unit unit) {
  return unit == Unit::seconds ? platforms::format_seconds(value) : platforms::format_quantity(value, unit);
}

std::string figure_table(const Figures& before, const Figures& after) {
  Table table({{"figure"}, {"before", true}, {"fitted", true}});
  const auto row = [&](const std::string& name, const platforms::Figure& was, const platforms::Figure& is, Unit unit) {
    const bool kept = was.source == is.source;
    table.row({name, figure_cell(was.value, unit), kept ? "kept" : figure_cell(is.value, unit)});
  };
  row("read_overhead", before.card.read_overhead, after.card.read_overhead, Unit::seconds);
  row("read_bandwidth", before.card.read_bandwidth, after.card.read_bandwidth, Unit::bytes_per_second);
  row("write_overhead", before.card.write_overhead, after.card.write_overhead, Unit::seconds);
  row("write_bandwidth", before.card.write_bandwidth, after.card.write_bandwidth, Unit::bytes_per_second);
  for (std::size_t i = 0; i < platforms::work_class_names.size(); ++i) {
    const std::string_view name = platforms::work_class_names[i];
    const bool elements = name == "elementwise" || name == "pooling";
    row(fmt::format("rates.{}", name), before.board.rates[i], after.board.rates[i],
        elements ? Unit::elements_per_second : Unit::macs_per_second);
  }
  row("compute_overhead", before.board.compute_overhead, after.board.compute_overhead, Unit::seconds);
  row("contention", before.board.contention, after.board.contention, Unit::ratio);
  return table.text();
}

std::string layer_table(const tiling::SwapPlan& plan, const Prediction& before, const Prediction& after,
                        const std::vector<bool>& held_out) {
  Table table({{"layer"},
               {"class"},
               {"part"},
               {"IO measured", true},
               {"before", true},
               {"fitted", true},
               {"compute measured", true},
               {"before", true},
               {"fitted", true}});
  for (std::size_t row = 0; row < plan.layers.size(); ++row) {
    const traces::LayerPrediction &was = before.layers[row], &is = after.layers[row];
    table.row({plan.layer_names[row],
               std::string(platforms::work_class_names[static_cast<std::size_t>(plan.layers[row].work_class)]),
               held_out[row] ? "held out" : "fitted", platforms::format_seconds(is.io_s.measured),
               signed_percent(was.io_s.relative_error()), signed_percent(is.io_s.relative_error()),
               platforms::format_seconds(is.compute_s.measured), signed_percent(was.compute_s.relative_error()),
               signed_percent(is.compute_s.relative_error())});
  }
  return table.text();
}

std::string error_table(const Prediction& before, const Prediction& after, const std::vector<bool>& held_out) {
  Table table({{"mean absolute error of layers"}, {"layers", true}, {"before", true}, {"fitted", true}});
  const auto percent = [](std::optional<double> share) { return share ? fmt::format("{:.2f} %", *share * 100) : "-"; };
  for (const bool out : {false, true}) {
    for (const bool io : {true, false}) {
      const traces::ErrorStatistics was = before.errors(held_out, out, io), is = after.errors(held_out, out, io);
      table.row({fmt::format("{}, {}", io ? "IO" : "compute", out ? "held out" : "fitted"), std::to_string(is.count),
                 percent(was.mean_absolute), percent(is.mean_absolute)});
    }
  }
  return table.text();
}

std::string dispatch_text(const traces::Replay& replay) {
  if (!replay.complete) return report_line("driver", "tasks are missing: the time between tasks is in no figure");
  double sum[2] = {0, 0}, service[2] = {0, 0};
  std::size_t count[2] = {0, 0};
  for (const traces::ServedTask& task : replay.tasks) {
    const std::size_t which = core::is_io(task.record.task.kind) ? 0 : 1;
    sum[which] += seconds(task.dispatch_ns());
    service[which] += seconds(task.service_ns());
    ++count[which];
  }
  const auto one = [&](std::size_t which, const char* name) {
    return count[which] == 0 ? std::string()
                             : fmt::format("{} a task of {} ({:.2f} % of its time)",
                                           platforms::format_seconds(sum[which] / static_cast<double>(count[which])),
                                           name, service[which] > 0 ? 100 * sum[which] / service[which] : 0);
  };
  return report_line("driver",
                     "from one task to the next, in the overheads: " + one(0, "IO") + ", " + one(1, "compute"));
}

std::string makespan_text(const Prediction& before, const Prediction& after) {
  const auto one = [](const Prediction& prediction) {
    return fmt::format("{} ({})", platforms::format_seconds(prediction.makespan_s.simulated),
                       signed_percent(prediction.makespan_s.relative_error()));
  };
  return report_line(
      "makespan", fmt::format("{} measured; before {}, fitted {}", platforms::format_seconds(after.makespan_s.measured),
                              one(before), one(after)));
}

}  // namespace

void TraceCalibrationOptions::add_to(CLI::App& verb) {
  const auto add = [&verb](const std::string& name, auto& value, const std::string& text, const std::string& type) {
    return verb.add_option(name, value, text)->type_name(type);
  };
  add("--trace", trace, "Fits a board and a card to the trace of a run of NETWORK, instead", "FILE");
  add("--clock", clock, "The times of --trace are cycles of this clock [nanoseconds]", "HZ");
  add("--hold-out", held_out, "Layers that are predicted, not fitted [every third of each class of work]", "LAYER")
      ->delimiter(',');
  add("--write-board", write_board, "Writes the board with the fitted figures", "FILE");
  add("--write-card", write_card, "Writes the card with the fitted figures", "FILE");
  plan.add_to(verb, false);
}

bool TraceCalibrationOptions::asks_for_more() const {
  return clock || write_board || write_card || !held_out.empty() || !plan.plan.network.network.empty();
}

void calibrate_trace(const CLI::App& verb, const TraceCalibrationOptions& options) {
  Request request(verb);
  const PlanRequest asked = read(options.plan, request);
  const std::optional<traces::RunTrace> run = read_trace("--trace", options.trace, "--clock", options.clock, request);
  for (const auto& [option, path] :
       {std::pair("--write-board", options.write_board), std::pair("--write-card", options.write_card)}) {
    if (!path) continue;
    request.writable_file(option, *path);
    if (!path->ends_with(".yaml"))
      request.problem(option, fmt::format("\"{}\" is no YAML; expected a name that ends with .yaml", *path));
  }
  request.check();
  const tiling::SwapPlan plan = plan_for(*asked.network, asked.tiling);
  const std::vector<bool> held_out = read_held_out(options.held_out, plan, request);
  request.check();

  traces::Replay replay;
  try {
    replay = traces::replay(plan.view(), *run);
  } catch (const traces::TraceError& error) {
    for (const std::string& line : error.errors)
      request.problem("--trace", line);
  }
  request.check();
  const Figures before{*asked.board, *asked.card};
  const std::string origin =
      fmt::format("trace {} of {}, {} B buffers", std::filesystem::path(options.trace).filename().string(),
                  plan.network, asked.tiling.buffer_bytes);
  const Figures after = fit_figures(plan.view(), replay, held_out, before, origin);
  const Prediction was = predict(plan, before, replay), is = predict(plan, after, replay);

  fmt::print("{}\n{}\n{}\n", figure_table(before, after), layer_table(plan, was, is, held_out),
             error_table(was, is, held_out));
  if (replay.complete) fmt::print("{}", makespan_text(was, is));
  fmt::print("{}", dispatch_text(replay));
  if (options.write_board) {
    trace::write_file(*options.write_board, to_yaml(after.board));
    fmt::print("{}", report_line("board", *options.write_board));
  }
  if (options.write_card) {
    trace::write_file(*options.write_card, to_yaml(after.card));
    fmt::print("{}", report_line("card", *options.write_card));
  }
}

}  // namespace spillway::cli
