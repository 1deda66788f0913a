#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "experiments/comparison.hpp"
#include "experiments/experiment.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// Version of the files that a results directory holds; it changes when a column changes its meaning or name.
inline constexpr int results_schema = 1;

/// One line for each point: its number (from 1), its parameters, its status and reason, its metrics.
std::string results_csv(const Experiment& experiment, std::span<const PointResult> results);

/// One line for each comparison.
std::string comparison_csv(std::span<const Comparison> comparisons);

/// The sweep with every parameter spelled out, itself an experiment file.
std::string config_yaml(const Experiment& experiment);

/// What is known about a run but not part of its results: it stands only in run.json.
struct RunRecord {
  std::string command;
  std::string version;
  double wall_s = 0;
  unsigned jobs = 1;
};

/// The directory that the results of one experiment go to: results.csv, comparison.csv, config.yaml, the board and card
/// files used, run.json. Each file appears whole or not at all; run.json comes last, so a directory that has it is
/// complete.
class ResultsDirectory {
 public:
  /// Makes the directory if need be. Throws InputError when it cannot be made or written, or when it holds something
  /// else than results of this experiment and `force` is not set.
  ResultsDirectory(std::filesystem::path path, const Experiment& experiment, bool force);

  /// Throws trace::FileError.
  void write(const Experiment& experiment, std::span<const PointResult> results,
             std::span<const Comparison> comparisons, const RunRecord& record) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace spillway::experiments
