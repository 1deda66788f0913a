#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "experiments/explore/space.hpp"
#include "platforms/efficiencies.hpp"
#include "sim/pipeline/simulate.hpp"

namespace spillway::explore {

/// What a mapping is judged by.
struct Worth {
  double throughput_per_s = 0;
  double energy_j = 0;      ///< a frame, of the board that needs most
  double memory_bytes = 0;  ///< of the board that needs most
  double latency_s = 0;

  friend bool operator==(const Worth&, const Worth&) = default;
};

/// Simulates mappings of a space. Not for several threads.
class Evaluator {
 public:
  /// All must outlive the evaluator. The devices of the space alone take part; the others of the cluster do not count.
  Evaluator(const Space& space, const platforms::Efficiencies& efficiencies, const pipeline::Options& options);

  Worth operator()(const Mapping& mapping);

  /// Under another driver. The last result stays to be read.
  const pipeline::Result& run(const Mapping& mapping, pipeline::Driver driver);

  /// Seconds that a layer takes by itself, for balanced cuts.
  std::vector<double> layer_seconds(std::size_t device, Kind kind);

 private:
  const Space& space_;
  pipeline::Options options_;
  pipeline::Machine machine_;
  pipeline::Workload workload_;
  pipeline::Simulator simulate_;
  pipeline::LayerTimeTables times_;
  std::vector<pipeline::Rank> ranks_;
  std::vector<pipeline::Placement> placements_;
  pipeline::Result result_;
};

}  // namespace spillway::explore
