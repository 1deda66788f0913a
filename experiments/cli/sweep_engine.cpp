#include "experiments/cli/sweep_engine.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "experiments/cli/interrupt.hpp"
#include "experiments/crew/bytes.hpp"
#include "experiments/crew/serve.hpp"
#include "experiments/journal.hpp"
#include "experiments/mappings/mapping_runs.hpp"
#include "experiments/results.hpp"
#include "experiments/tables.hpp"

namespace spillway::cli {
namespace {

using experiments::Experiment;
using experiments::MappingRuns;
using experiments::Point;
using experiments::PointResult;

bool is_of_pipelines(const Experiment& experiment) {
  return experiment.kind == &experiments::pipeline_runs();
}

/// A request is the number of a point, which must be one of the experiment's own.
std::string ask_for(const Point& point, const Experiment& experiment, crew::Crew& crew) {
  crew::Writer request;
  request(std::uint64_t(&point - experiment.points.data()));
  return crew.ask(std::span(&request.bytes(), 1), Interrupt::requested).front();
}

PointResult result_from(const std::string& line) {
  auto found = experiments::read_journal_line(line, experiments::metrics().size());
  if (!found) throw crew::Unanswered("a worker's answer is no result");
  return std::move(found->second);
}

}  // namespace

Engine engine_of(const Experiment& experiment, crew::Crew* crew) {
  if (is_of_pipelines(experiment)) {
    MappingRuns::SearchElsewhere elsewhere;
    if (crew) elsewhere = [&experiment, crew](const Point& point) { return ask_for(point, experiment, *crew); };
    const auto runs = std::make_shared<MappingRuns>(experiment, elsewhere);
    return {[runs](const auto& options) { return runs->run(options); },
            [runs](const auto& directory, const auto&) { runs->write_tables(directory); }};
  }
  const auto run = [&experiment, crew](const experiments::RunOptions& options) {
    if (!crew) return experiments::run_points(experiment.points, options);
    experiments::RunOptions waiting = options;
    waiting.jobs = crew->room();
    waiting.one_thread = [](const Point&) { return false; };
    return experiments::run_points(experiment.points, waiting,
                                   [&](const Point& point) { return result_from(ask_for(point, experiment, *crew)); });
  };
  return {run, [&](const auto& directory, const auto& results) {
            experiments::write_tables(directory, experiment, results);
          }};
}

std::string identity_of(const Experiment& experiment) {
  return experiment.name + ' ' + experiments::configuration_of(experiment, SPILLWAY_VERSION);
}

void serve_points(const Experiment& experiment) {
  std::function<std::string(std::size_t)> answer;
  if (is_of_pipelines(experiment)) {
    const auto runs = std::make_shared<MappingRuns>(experiment);
    answer = [runs, &experiment](std::size_t i) { return runs->search(experiment.points[i]); };
  } else {
    answer = [run = experiments::run_swap(experiment.points), &experiment](std::size_t i) {
      std::string line = experiments::journal_line(i, experiments::outcome_of(run, experiment.points[i]));
      line.pop_back();
      return line;
    };
  }
  crew::serve(crew::launcher_descriptor, identity_of(experiment), [&](const std::string& request) {
    std::uint64_t point = 0;
    crew::Reader{request}(point);
    if (point >= experiment.points.size()) throw std::out_of_range("there is no such point");
    return answer(point);
  });
}

}  // namespace spillway::cli
