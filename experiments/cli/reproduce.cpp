#include <algorithm>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "experiments/cli/sweep.hpp"
#include "experiments/report.hpp"
#include "platforms/nearest.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

using experiments::Experiment;

constexpr std::string_view every_experiment = "all";

struct Options {
  std::vector<std::string> names;
  std::string output = "results";
  std::string jobs;
  bool force = false;
};

/// The experiments that were asked for, each once.
std::vector<Experiment> load(const Options& options, Request& request) {
  const std::vector<std::string> known = experiments::experiment_names();
  std::vector<std::string> names = options.names;
  if (std::ranges::find(names, every_experiment) != names.end()) names = known;
  if (names.empty()) {
    request.problem("EXPERIMENT", fmt::format("is missing; expected {} or all", fmt::join(known, ", ")));
  }
  std::vector<Experiment> experiments;
  for (const std::string& name : names) {
    if (std::ranges::find(experiments, name, &Experiment::name) != experiments.end()) continue;
    if (std::ranges::find(known, name) == known.end()) {
      const std::string hint = platforms::did_you_mean(name, known);
      request.problem("EXPERIMENT", fmt::format("there is no experiment \"{}\"{}{} known: {}, or all", name, hint,
                                                hint.empty() ? ";" : "", fmt::join(known, ", ")));
      continue;
    }
    try {
      experiments.push_back(experiments::load_experiment(name));
    } catch (const platforms::InputError& error) {
      request.problems(error);
    }
  }
  return experiments;
}

ExitCode reproduce(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const unsigned jobs = jobs_of(request, options.jobs);
  const std::vector<Experiment> experiments = load(options, request);
  request.check();
  const std::filesystem::path output = options.output;
  std::vector<experiments::ResultsDirectory> directories;
  for (const Experiment& experiment : experiments) {
    try {
      directories.emplace_back(output / experiment.name, experiment, options.force);
      if (!options.force) directories.back().refuse_unfinished();
    } catch (const platforms::InputError& error) {
      request.problems(error);
    }
  }
  request.check();
  const std::filesystem::path page = output / "report.html";
  const std::filesystem::path data = output / "report.json";
  // What cannot be written is an error before any work.
  { const trace::OutputFile page_probe(page), data_probe(data); }

  ExitCode code = ExitCode::done;
  std::vector<FinishedExperiment> finished;
  std::vector<std::filesystem::path> paths;
  std::vector<experiments::ReportSection> sections;
  finished.reserve(experiments.size());
  for (std::size_t i = 0; i < experiments.size(); ++i) {
    const std::string command = fmt::format("spillway reproduce {}", experiments[i].name);
    finished.push_back(run_experiment(experiments[i], directories[i], {command, jobs}));
    fmt::print("\n");
    if (finished.back().code != ExitCode::done) code = ExitCode::failed;
    paths.push_back(directories[i].path());
    sections.push_back({experiments[i], finished.back().results, finished.back().comparisons, paths.back(),
                        experiments[i].name, command});
  }
  if (const std::optional<std::string> reason = experiments::draw_figures(paths)) {
    fmt::print(stderr, "spillway reproduce: no figures: {}\n", *reason);
    code = ExitCode::failed;
  }
  try {
    trace::write_file(page, experiments::report_page(sections, SPILLWAY_VERSION));
    trace::write_file(data, experiments::report_json(sections, SPILLWAY_VERSION));
  } catch (const trace::FileError& error) {
    throw std::runtime_error(
        fmt::format("the page is lost: {}; the results stand in {}", error.what(), output.string()));
  }
  fmt::print("page: {}\nthe same for programs: {}\n", page.string(), data.string());
  return code;
}

}  // namespace

void add_reproduce(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "reproduce", "Regenerates published figures: results, plots, ours against published");
  const auto options = std::make_shared<Options>();
  verb.add_option("EXPERIMENT", options->names, "Names that `spillway list experiments` shows, or all")->type_name("");
  verb.add_option("--output", options->output, "Directory of the results, of report.html and of report.json")
      ->type_name("DIR")
      ->capture_default_str();
  verb.add_option("--jobs", options->jobs, "Threads; they do not change the results [the machine's cores]")
      ->type_name("N");
  verb.add_flag("--force", options->force, "Writes into directories that hold other files");
  verb.callback([&verb, options, &outcome] { outcome.code = reproduce(verb, *options); });
}

}  // namespace spillway::cli
