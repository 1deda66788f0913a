#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "experiments/explore/evaluator.hpp"
#include "experiments/explore/space.hpp"
#include "platforms/efficiencies.hpp"

namespace spillway::explore {

/// Mappings of a network as a chain on identical resources, one a device, cut where a single tensor passes: the space
/// in which the best can be computed. What a mapping is worth has a closed form here. Its period is that of the slowest
/// rank or link, as if buffers were endless:
///
///     period  = max over segments of max(time of its layers and messages, bytes sent / bandwidth)
///     energy  = idle power x period + max over segments of the energy of its work
///     memory  = max over segments
///     latency = sum over segments, and of the ways between them
class Chain {
 public:
  /// What one segment has to itself.
  struct Stage {
    double time_s = 0;    ///< what bounds the period
    double energy_j = 0;  ///< of a frame, without idle power
    double memory_bytes = 0;
    double latency_s = 0;  ///< with the way to the next one
  };

  /// The cluster's first device stands for all of them. Throws std::invalid_argument for a GPU that it does not have.
  Chain(const models::Network& network, const pipeline::ClusterModel& cluster,
        const platforms::Efficiencies& efficiencies, Kind kind, const pipeline::Options& options);

  /// Positions between layers where one tensor alone passes, as Space::Options::cuts takes them.
  const std::vector<std::size_t>& cuts() const { return cuts_; }

  /// The worth of a mapping whose cuts are all cuts of the chain, each segment on a device of its own.
  Worth worth(const Mapping& mapping) const;

  /// The front of throughput, energy and memory over all mappings on at most that many devices. Exact.
  std::vector<Worth> exact_front(std::size_t devices) const;

  /// The highest throughput with exactly that many devices; nothing when there are not as many segments.
  std::optional<Worth> best_throughput(std::size_t devices) const;

 private:
  /// Bounds that every segment of a mapping keeps; infinite where there is none.
  struct Bounds {
    double time_s, energy_j, memory_bytes;
  };
  enum class Count { at_most, exactly };

  std::size_t places() const { return places_.size(); }
  const Stage& stage(std::size_t begin, std::size_t end) const { return stages_[begin * places() + end]; }
  /// The least that the largest `value` of a mapping can be within the bounds; infinite when no mapping keeps them.
  double least(double Stage::*value, const Bounds& bounds, std::size_t devices, Count count) const;
  Worth worth_of(const Stage& worst, double latency_s) const;

  double idle_w_ = 0;
  std::vector<std::size_t> cuts_;
  std::vector<std::size_t> places_;  ///< 0, the cuts, the number of layers
  std::vector<Stage> stages_;        ///< from place to place
};

}  // namespace spillway::explore
