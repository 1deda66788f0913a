#pragma once

#include <cstddef>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>

#include "experiments/comparison.hpp"
#include "experiments/configuration.hpp"
#include "experiments/experiment.hpp"
#include "experiments/journal.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// Version of the files that a results directory holds; it changes when a column changes its meaning or name.
inline constexpr int results_schema = 1;

/// One line for each point: its number (from 1), its parameters, its status and reason, its metrics.
std::string results_csv(const Experiment& experiment, std::span<const PointResult> results);

/// One line for each comparison.
std::string comparison_csv(std::span<const Comparison> comparisons);

/// What is known about a run but not part of its results: it stands only in run.json.
struct RunRecord {
  std::string command;
  std::string version;
  double wall_s = 0;
  unsigned jobs = 1;
};

/// What the results of a sweep depend on, as one hash: its points, the text of the board and card files that they name
/// and of the table of endurance, the metrics, and the version of the program.
std::string configuration_of(const Experiment& experiment, const std::string& version);

/// The directory that the results of one experiment go to: results.csv, comparison.csv, config.yaml, the board and card
/// files used, run.json. Each file appears whole or not at all; run.json comes last, so a directory that has it is
/// complete. While the sweep runs, points.journal keeps the finished points.
class ResultsDirectory {
 public:
  /// Makes the directory if need be. Throws InputError when it cannot be made or written, or when it holds something
  /// else than results of this experiment and `force` is not set.
  ResultsDirectory(std::filesystem::path path, const Experiment& experiment, bool force);

  /// Throws InputError where a sweep that was not finished would be lost.
  void refuse_unfinished() const;

  /// Whether the directory holds everything of this configuration; then the points that failed, or missed a published
  /// value unexpectedly, are counted into `failures`. Throws InputError when it is complete with another one. What the
  /// same points are asked for besides, tables or published values, may have changed: then it is not complete.
  bool is_complete(const Experiment& experiment, const std::string& version, std::size_t& failures) const;

  /// Points that an interrupted sweep left; nothing where there are none. Throws InputError when they are of another
  /// configuration, and says what differs.
  std::optional<JournalContent> unfinished(const Experiment& experiment, const std::string& version) const;

  /// From here on the directory is an unfinished one of this experiment. Earlier results stay until write().
  /// `earlier` is what unfinished() gave. Throws trace::FileError.
  std::unique_ptr<Journal> begin(const Experiment& experiment, const std::string& version,
                                 const std::optional<JournalContent>& earlier) const;

  /// Writes all files and, when they are there, ends the journal. Throws trace::FileError.
  void write(const Experiment& experiment, std::span<const PointResult> results,
             std::span<const Comparison> comparisons, const RunRecord& record) const;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path journal_file() const;
  void remove_outdated() const;

  std::filesystem::path path_;
  std::size_t metrics_of_a_run_;
};

}  // namespace spillway::experiments
