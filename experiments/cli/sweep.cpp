#include "experiments/cli/sweep.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string_view>
#include <thread>

#include <fmt/format.h>

#include "experiments/cli/interrupt.hpp"
#include "experiments/cli/sweep_engine.hpp"
#include "experiments/cli/table.hpp"
#include "experiments/crew/serve.hpp"
#include "experiments/progress.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::cli {
namespace {

using experiments::Comparison;
using experiments::Experiment;
using experiments::PointResult;
using experiments::PointStatus;

constexpr std::uint64_t most_jobs = 1024;

struct Options {
  std::string file, output, jobs;
  bool force = false, resume = false;
};

void print_points(const Experiment& experiment, const std::vector<PointResult>& results) {
  const auto count = [&](PointStatus status) { return std::ranges::count(results, status, &PointResult::status); };
  std::string text = fmt::format("{}: {}\n{} points", experiment.name, experiment.title, results.size());
  for (const PointStatus status :
       {PointStatus::done, PointStatus::infeasible, PointStatus::stalled, PointStatus::failed}) {
    if (count(status) > 0) text += fmt::format(", {} {}", count(status), to_string(status));
  }
  fmt::print("{}\n", text);
  for (std::size_t i = 0; i < results.size(); ++i) {
    if (results[i].status == PointStatus::failed) fmt::print("  point {} failed: {}\n", i + 1, results[i].reason);
  }
}

void print_comparisons(const Experiment& experiment, const std::vector<Comparison>& comparisons) {
  if (comparisons.empty()) return;
  Table table({{"metric"},
               {"at"},
               {"ours", true},
               {"published", true},
               {"ratio", true},
               {"tolerance", true},
               {"kind"},
               {"verdict"}});
  for (const Comparison& comparison : comparisons) {
    table.row(
        {describe_metric(comparison), describe_point(comparison, experiment), describe_ours(comparison),
         describe_published(comparison), describe_ratio(comparison), describe_tolerance(comparison),
         std::string(to_string(comparison.target->kind)) + (comparison.target->fitted.empty() ? "" : ", fitted on"),
         std::string(to_string(comparison.verdict))});
  }
  fmt::print("\n{}\n", table.text());
}

void print_reasons(const Experiment& experiment) {
  for (const experiments::Target& target : experiment.published) {
    if (!target.reason.empty()) fmt::print("{}: {}\n", target.id, target.reason);
  }
}

/// A word as a shell takes it.
std::string shell_word(const std::string& text) {
  constexpr std::string_view plain = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=+,@%";
  if (!text.empty() && text.find_first_not_of(plain) == std::string::npos) return text;
  std::string word = "'";
  for (const char letter : text) {
    if (letter == '\'')
      word += "'\\''";
    else
      word += letter;
  }
  return word + "'";
}

std::vector<PointResult> run_kept(const Experiment& experiment, const Engine& engine,
                                  const experiments::ResultsDirectory& directory, const ExperimentRun& run) {
  const std::size_t before = run.earlier ? run.earlier->finished : 0;
  experiments::RunOptions options{run.jobs};
  std::unique_ptr<experiments::Journal> journal;
  const Interrupt interrupt;
  const auto what_is_kept = [&](std::size_t finished) {
    return fmt::format("{} of {} points are kept; to continue: {}", finished, experiment.points.size(),
                       run.resume_command);
  };
  const auto kept = [&] { return before + (journal ? journal->appended() : 0); };
  try {
    experiments::Progress progress(stderr, experiment.name, before);
    options.progress = [&](std::size_t done, std::size_t all) { progress.report(done, all); };
    if (!run.resume_command.empty()) {
      journal = directory.begin(experiment, SPILLWAY_VERSION, run.earlier);
      options.keep = [&](std::size_t point, const PointResult& result) { journal->append(point, result); };
    }
    options.stop = Interrupt::requested;
    if (run.earlier) options.known = run.earlier->results;
    return engine.run(options);
  } catch (const experiments::Stopped& stopped) {
    throw std::runtime_error(run.resume_command.empty() ? std::string("interrupted")
                                                        : "interrupted: " + what_is_kept(stopped.finished));
  } catch (const trace::FileError& error) {
    throw std::runtime_error(fmt::format("{}; {}", error.what(), what_is_kept(kept())));
  } catch (const crew::Unanswered& error) {
    throw std::runtime_error(fmt::format("{}; {}", error.what(), what_is_kept(kept())));
  }
}

ExitCode sweep(const CLI::App& verb, const Options& options) {
  Request request(verb);
  const crew::Role role = crew::role();
  const unsigned jobs = role.workers > 0 ? role.workers : jobs_of(request, options.jobs);
  if (!role.is_alone()) refuse_jobs(request, options.jobs);
  std::optional<Experiment> experiment;
  if (options.file.empty()) {
    request.problem("EXPERIMENT", "is missing; expected a file, or a name that `spillway list experiments` shows");
  } else {
    try {
      experiment = experiments::load_experiment(options.file);
    } catch (const platforms::InputError& error) {
      request.problems(error);
    }
  }
  request.check();
  if (role.is_worker) {
    serve_points(*experiment);
    return ExitCode::done;
  }
  const std::string output = options.output.empty() ? "results/" + experiment->name : options.output;
  const experiments::ResultsDirectory directory(output, *experiment, options.force);
  ExperimentRun run;
  run.command = fmt::format("spillway sweep {} --output {}", shell_word(options.file), shell_word(output));
  run.resume_command = run.command + " --resume";
  run.jobs = jobs;
  if (options.resume) {
    if (std::size_t failures = 0; directory.is_complete(*experiment, SPILLWAY_VERSION, failures)) {
      fmt::print("{} is complete: there is nothing to resume\n", output);
      return failures == 0 ? ExitCode::done : ExitCode::failed;
    }
    run.earlier = directory.unfinished(*experiment, SPILLWAY_VERSION);
    fmt::print(stderr, "{}: {} of {} points are there already\n", experiment->name,
               run.earlier ? run.earlier->finished : 0, experiment->points.size());
  } else if (!options.force) {
    directory.refuse_unfinished();
  }
  std::optional<crew::Crew> workers;
  if (!role.is_alone()) {
    workers.emplace(crew::launcher_descriptor, role.workers, identity_of(*experiment), note_of(verb));
    run.crew = &*workers;
  }
  const FinishedExperiment finished = run_experiment(*experiment, directory, run);
  fmt::print("results in {}\n", directory.path().string());
  return finished.code;
}

}  // namespace

unsigned jobs_of(Request& request, const std::string& text) {
  if (text.empty()) return std::max(1U, std::thread::hardware_concurrency());
  return static_cast<unsigned>(request.number("--jobs", text, 1, most_jobs));
}

void refuse_jobs(Request& request, const std::string& text) {
  if (!text.empty()) request.problem("--jobs", "is not for spillway-mpi, which has a worker for each rank");
}

std::function<void(const std::string&)> note_of(const CLI::App& verb) {
  return [name = verb.get_name()](const std::string& text) { fmt::print(stderr, "spillway {}: {}\n", name, text); };
}

FinishedExperiment run_experiment(const Experiment& experiment, const experiments::ResultsDirectory& directory,
                                  const ExperimentRun& run) {
  const auto start = std::chrono::steady_clock::now();
  FinishedExperiment finished;
  const Engine engine = engine_of(experiment, run.crew);
  finished.results = run_kept(experiment, engine, directory, run);
  finished.comparisons = experiments::compare(experiment, finished.results);
  const double wall_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  try {
    const Interrupt signals;
    engine.write_tables(directory.path(), finished.results);
    directory.write(experiment, finished.results, finished.comparisons,
                    {run.command, SPILLWAY_VERSION, wall_s, run.jobs});
  } catch (const crew::Unanswered& error) {
    throw std::runtime_error(fmt::format("{}; all {} points are kept; to continue: {}", error.what(),
                                         finished.results.size(), run.resume_command));
  } catch (const trace::FileError& error) {
    // The request was right, else the directory would have been refused: a full disk, say.
    if (run.resume_command.empty()) throw std::runtime_error(fmt::format("the results are lost: {}", error.what()));
    throw std::runtime_error(fmt::format("the results cannot be written: {}; all {} points are kept; to continue: {}",
                                         error.what(), finished.results.size(), run.resume_command));
  }

  print_points(experiment, finished.results);
  print_comparisons(experiment, finished.comparisons);
  print_reasons(experiment);
  const bool a_point_failed =
      std::ranges::find(finished.results, PointStatus::failed, &PointResult::status) != finished.results.end();
  if (a_point_failed || experiments::has_unexpected_miss(finished.comparisons)) finished.code = ExitCode::failed;
  return finished;
}

void add_sweep(CLI::App& app, Outcome& outcome) {
  CLI::App& verb = add_verb(app, "sweep", "Runs every point of an experiment file and compares with published values");
  const auto options = std::make_shared<Options>();
  verb.add_option("EXPERIMENT", options->file, "A file, or a name that `spillway list experiments` shows")
      ->type_name("");
  verb.add_option("--output", options->output, "Directory of the results [results/NAME]")->type_name("DIR");
  verb.add_option("--jobs", options->jobs, "Threads; they do not change the results [the machine's cores]")
      ->type_name("N");
  verb.add_flag("--force", options->force,
                "Writes into a directory that holds other files; gives up what an interrupted sweep left there");
  verb.add_flag("--resume", options->resume, "Continues an interrupted sweep: runs only the points that are missing");
  verb.callback([&verb, options, &outcome] { outcome.code = sweep(verb, *options); });
}

}  // namespace spillway::cli
