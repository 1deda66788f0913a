#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "experiments/cli/request.hpp"
#include "experiments/cli/verbs.hpp"
#include "experiments/comparison.hpp"
#include "experiments/crew/crew.hpp"
#include "experiments/experiment.hpp"
#include "experiments/results.hpp"
#include "experiments/runner.hpp"

namespace spillway::cli {

/// Threads of a run: the text of --jobs, or this machine's cores where it is empty.
unsigned jobs_of(Request& request, const std::string& text);

/// Notes the mistake of giving --jobs to processes of spillway-mpi.
void refuse_jobs(Request& request, const std::string& text);

/// Writes what becomes of a crew to stderr.
std::function<void(const std::string&)> note_of(const CLI::App& verb);

/// What a run of an experiment left.
struct FinishedExperiment {
  std::vector<experiments::PointResult> results;
  std::vector<experiments::Comparison> comparisons;
  ExitCode code = ExitCode::done;  ///< failed: a point failed, or a target was missed unexpectedly
};

/// How an experiment is run.
struct ExperimentRun {
  std::string command;  ///< for run.json
  unsigned jobs = 1;
  /// Where not empty, finished points are kept as they finish, and this command goes on with what an interrupted run
  /// left.
  std::string resume_command = {};
  std::optional<experiments::JournalContent> earlier = {};  ///< what an interrupted run left
  crew::Crew* crew = nullptr;                               ///< that runs the points; none: this process
};

/// Runs the sweep with progress on stderr, writes the directory and prints what came out of it. Throws
/// std::runtime_error, with what to do next, when it was interrupted or the disk was full.
FinishedExperiment run_experiment(const experiments::Experiment& experiment,
                                  const experiments::ResultsDirectory& directory, const ExperimentRun& run);

}  // namespace spillway::cli
