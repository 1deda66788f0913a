#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "experiments/explore/search.hpp"
#include "experiments/explore/space.hpp"
#include "experiments/pipeline_run.hpp"

/// The points of pipeline experiments: mappings, and what the best of them are worth.
namespace spillway::experiments {

/// An evaluated mapping without its layers.
struct EvaluatedRow {
  std::size_t generation = 0;
  std::uint64_t devices = 0, cores = 0, gpus = 0;  ///< that it uses; a GPU's host thread is no core
  explore::Worth worth;
  bool in_front = false;  ///< no other one has at least its throughput, energy and memory
};

/// What is kept of a search: a row for each mapping, and the best of each number of devices.
class Digest {
 public:
  /// Runs the search to its end in this thread. What it refers to need not live on.
  Digest(const explore::Space& space, explore::Evaluator& evaluator, const explore::SearchOptions& options);

  /// Of a search that was run elsewhere.
  Digest(std::vector<EvaluatedRow> rows, std::vector<std::optional<PipelineRun>> runs)
      : rows_(std::move(rows)), runs_(std::move(runs)) {}

  /// In the order of evaluation.
  const std::vector<EvaluatedRow>& rows() const { return rows_; }

  /// By devices - 1.
  const std::vector<std::optional<PipelineRun>>& runs() const { return runs_; }

  /// What is known of mappings on exactly that many devices; nothing: none was evaluated.
  std::optional<PipelineRun> run_on(std::size_t devices) const;

 private:
  std::vector<EvaluatedRow> rows_;
  std::vector<std::optional<PipelineRun>> runs_;
};

/// One mapping, evaluated.
PipelineRun evaluated(const explore::Mapping& mapping, const explore::Space& space, explore::Evaluator& evaluator);

}  // namespace spillway::experiments
