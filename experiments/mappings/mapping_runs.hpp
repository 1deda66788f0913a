#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "experiments/experiment.hpp"
#include "experiments/explore/chain.hpp"
#include "experiments/mappings/digest.hpp"
#include "experiments/mappings/once.hpp"
#include "experiments/runner.hpp"
#include "models/network.hpp"
#include "platforms/efficiencies.hpp"
#include "sim/pipeline/machine_of.hpp"

namespace spillway::experiments {

/// Runs the points of a pipeline experiment on the virtual clock. Points that differ only in the devices used share one
/// search.
class MappingRuns {
 public:
  /// Has another process run the search of a point: what search() gives there. Called by several threads.
  using SearchElsewhere = std::function<std::string(const Point&)>;

  /// Loads networks and clusters. The experiment must outlive the object. Throws InputError for a file that is bad.
  explicit MappingRuns(const Experiment& experiment, SearchElsewhere elsewhere = {});

  /// Every point; results stand in the order of the points. Throws Stopped, and what RunOptions::keep throws; whatever
  /// else happens in a point becomes its result.
  std::vector<PointResult> run(const RunOptions& options);

  /// The files that the experiment asks for beside its results. A search that has not been run yet, as that of points
  /// from an earlier run, is run now. Throws trace::FileError.
  void write_tables(const std::filesystem::path& directory);

  /// Runs the search of a point; what came of it, for another process.
  std::string search(const Point& point);

  /// A line for each evaluated mapping of each search of the experiment.
  std::string searches_csv();

 private:
  PointResult result_of(const Point& point);
  std::optional<PipelineRun> run_of(const Point& point);
  PipelineRun alone(const Point& point) const;
  std::optional<PipelineRun> on_chain(const Point& point);
  const Digest& digest(const Point& point);
  const explore::Chain& chain(const Point& point);

  const models::Network& network(const Point& point) const;
  const pipeline::ClusterModel& cluster(const Point& point) const;

  const Experiment& experiment_;
  SearchElsewhere elsewhere_;
  platforms::Efficiencies efficiencies_;
  std::map<std::string, models::Network> networks_;
  std::map<std::string, pipeline::ClusterModel> clusters_;
  Once<Digest> digests_;
  Once<explore::Chain> chains_;
};

}  // namespace spillway::experiments
