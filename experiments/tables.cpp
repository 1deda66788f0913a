#include "experiments/tables.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "experiments/csv.hpp"
#include "experiments/material.hpp"
#include "platforms/board.hpp"
#include "sim/swap/wear.hpp"
#include "sim/trace/names.hpp"
#include "sim/trace/output_file.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::experiments {
namespace {

constexpr double nanoseconds_per_second = 1e9;

std::string number(std::uint64_t value) {
  return fmt::format("{}", value);
}
std::string number(double value) {
  return to_text(value);
}

/// Keeps the executed tasks of a run.
class Collector final : public trace::Sink {
 public:
  void record(const trace::Record& record) override { records.push_back(record); }
  void pools(const trace::PoolLevels&) override {}

  std::vector<trace::Record> records;
};

std::uint64_t count_of(const PointResult& result, std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  return std::get<std::uint64_t>(*result.metrics[static_cast<std::size_t>(found - metrics().begin())]);
}
double figure_of(const PointResult& result, std::string_view name) {
  const auto found = std::ranges::find(metrics(), name, &Metric::name);
  return std::get<double>(*result.metrics[static_cast<std::size_t>(found - metrics().begin())]);
}

void add_layers(std::string& csv, std::size_t number_of_point, const Point& point, const Material& material) {
  const models::Network& network = material.network(point);
  const platforms::Board board = material.board(point);
  const platforms::Card& card = material.card(point);
  const tiling::SwapPlan plan = tiling::make_plan(network, request_of(point));
  const std::vector<tiling::SwapLayer> layers = tiling::lower(network);
  const std::vector<Intensity> all = intensities(network, layers, plan.request.element, board, card);
  for (std::size_t i = 0; i < layers.size(); ++i) {
    const Intensity& one = all[i];
    double cut_io_s = 0;
    for (std::size_t row = 0; row < plan.layers.size(); ++row) {
      if (plan.layer_nodes[row] == layers[i].node) cut_io_s += io_s_of(plan, row, card);
    }
    const std::vector<std::string> fields = {
        number(number_of_point + 1),
        point.name(Parameter::network),
        layers[i].name,
        std::string(platforms::work_class_names[static_cast<std::size_t>(layers[i].work_class)]),
        layers[i].has_weights() ? "yes" : "no",
        number(one.work),
        number(one.input_bytes),
        number(one.weight_bytes),
        number(one.output_bytes),
        number(one.moved_bytes()),
        number(static_cast<double>(one.work) / static_cast<double>(one.moved_bytes())),
        number(one.compute_s),
        number(one.io_s),
        number(one.normalized()),
        one.compute_bound() ? "compute-bound" : "IO-bound",
        std::string(to_string(one.over_published_range())),
        number(cut_io_s)};
    csv += csv_line(fields);
  }
}

}  // namespace

std::string layers_csv(const Experiment& experiment) {
  const std::vector<std::string> header = {
      "point",        "network",          "layer",       "work_class",    "counted",   "work", "input_bytes",
      "weight_bytes", "output_bytes",     "moved_bytes", "work_per_byte", "compute_s", "io_s", "normalized_intensity",
      "class",        "class_over_range", "cut_io_s"};
  std::string csv = csv_line(header);
  const Material material(experiment.points);
  for (std::size_t i = 0; i < experiment.points.size(); ++i) {
    try {
      add_layers(csv, i, experiment.points[i], material);
    } catch (const tiling::Infeasible&) {
      // Its line in results.csv says why.
    }
  }
  return csv;
}

std::string endurance_csv(const Experiment& experiment, std::span<const PointResult> results) {
  const std::vector<std::string> header = {
      "point", "network", "written_bytes_per_day", "programming", "programmed_bytes_per_day", "card_kind", "years"};
  std::string csv = csv_line(header);
  const Material material(experiment.points);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status != PointStatus::done) continue;
    const Point& point = experiment.points[i];
    const platforms::Card& card = material.card(point);
    swap::Result writes;  // as far as wear looks at it
    constexpr auto write_output = static_cast<std::size_t>(core::TaskKind::write_output);
    writes.tasks[write_output] = count_of(results[i], "write_output_tasks");
    writes.bytes[write_output] = count_of(results[i], "written_bytes");
    const double day_bytes = daily_writes_of(point).value_or(figure_of(results[i], "written_bytes_per_day"));
    for (const auto& [programming, words] : {std::pair(swap::Programming::amplified, "amplified"),
                                             std::pair(swap::Programming::whole_erase_blocks, "whole erase blocks")}) {
      const double programmed =
          day_bytes * swap::programmed_per_byte(writes, card, programming, point.count(Parameter::buffer));
      for (const platforms::CardEndurance& kind : material.endurance().cards) {
        const std::vector<std::string> fields = {number(i + 1),
                                                 point.name(Parameter::network),
                                                 number(day_bytes),
                                                 words,
                                                 number(programmed),
                                                 kind.name,
                                                 number(swap::years_of(programmed, card, kind))};
        csv += csv_line(fields);
      }
    }
  }
  return csv;
}

std::string timelines_csv(const Experiment& experiment) {
  const std::vector<std::string> header = {"timeline", "title", "network", "frame",    "layer",  "layer_name",
                                           "tile",     "kind",  "index",   "start_ns", "end_ns", "bytes"};
  std::string csv = csv_line(header);
  const Material material(experiment.points);
  for (std::size_t i = 0; i < experiment.timelines.size(); ++i) {
    const Timeline& timeline = experiment.timelines[i];
    const Point& point = experiment.points[timeline.point];
    const tiling::SwapPlan plan = tiling::make_plan(material.network(point), request_of(point));
    Collector run;
    swap::Options options = options_of(point);
    options.sink = &run;
    swap::simulate(plan, material.board(point), material.card(point), options);

    const auto is_wanted = [&](const trace::Record& record) {
      return record.task.frame == timeline.frame && record.task.tile == timeline.tile &&
             plan.layer_names[record.task.layer] == timeline.layer;
    };
    const auto first = std::ranges::find_if(run.records, is_wanted);
    if (first == run.records.end()) {
      throw std::runtime_error(fmt::format("timeline \"{}\": frame {} has no layer {} with a tile {}", timeline.title,
                                           timeline.frame, timeline.layer, timeline.tile));
    }
    const std::uint64_t start = first->start_ns;
    const auto end = start + static_cast<std::uint64_t>(std::llround(timeline.span_s * nanoseconds_per_second));
    for (const trace::Record& record : run.records) {
      if (record.end_ns <= start || record.start_ns >= end) continue;
      const std::vector<std::string> fields = {number(i + 1),
                                               timeline.title,
                                               point.name(Parameter::network),
                                               number(std::uint64_t{record.task.frame}),
                                               number(std::uint64_t{record.task.layer}),
                                               plan.layer_names[record.task.layer],
                                               number(std::uint64_t{record.task.tile}),
                                               std::string(trace::to_string(record.task.kind)),
                                               number(std::uint64_t{record.task.index}),
                                               number(record.start_ns),
                                               number(record.end_ns),
                                               number(record.bytes)};
      csv += csv_line(fields);
    }
  }
  return csv;
}

void write_tables(const std::filesystem::path& directory, const Experiment& experiment,
                  std::span<const PointResult> results) {
  const auto write = [&](const char* name, const std::string& text) { trace::write_file(directory / name, text); };
  for (const Table table : experiment.tables) {
    if (table == Table::layers) write("layers.csv", layers_csv(experiment));
    if (table == Table::endurance) write("endurance.csv", endurance_csv(experiment, results));
  }
  if (!experiment.timelines.empty()) write("timelines.csv", timelines_csv(experiment));
}

}  // namespace spillway::experiments
