#pragma once

#include <cstddef>
#include <map>
#include <span>
#include <tuple>
#include <vector>

#include "models/network.hpp"
#include "platforms/cluster.hpp"
#include "platforms/computer.hpp"
#include "platforms/efficiencies.hpp"
#include "platforms/resource.hpp"
#include "sim/cost/layer_times.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

namespace spillway::pipeline {

/// A cluster as simulations need it: its figures, and what a network's layers cost on its boards.
class ClusterModel {
 public:
  /// Loads the boards. Throws platforms::InputError: a cluster without devices or without `messages`, a device that
  /// names no board; and what load_computer throws.
  explicit ClusterModel(platforms::Cluster cluster);

  const platforms::Cluster& cluster() const { return cluster_; }
  const Machine& machine() const { return machine_; }
  const platforms::Computer& computer(std::size_t device) const { return computers_[board_of_[device]]; }
  /// Devices of the same number are boards of the same kind.
  std::size_t board_of(std::size_t device) const { return board_of_[device]; }

 private:
  platforms::Cluster cluster_;
  std::vector<platforms::Computer> computers_;
  std::vector<std::size_t> board_of_;  ///< by device
  Machine machine_;
};

/// The times of one network's layers on the resources of a cluster, made when they are first asked for.
class LayerTimeTables {
 public:
  /// All must outlive the tables. `measured` are times that cores take instead of the cost model's, on every board;
  /// those of other networks and numbers of threads are left out.
  LayerTimeTables(const models::Network& network, const ClusterModel& cluster,
                  const platforms::Efficiencies& efficiencies, std::span<const cost::LayerTime> measured = {})
      : network_(network), cluster_(cluster), efficiencies_(efficiencies), measured_(measured) {}

  /// Where a rank runs, with the times of its layers. Throws std::invalid_argument: a GPU that the board does not have,
  /// more threads than cores.
  Placement place(std::size_t device, bool gpu, std::size_t threads);
  Placement place(const platforms::Resource& resource) {
    return place(resource.device, resource.gpu, resource.gpu ? 1 : resource.cores.size());
  }

 private:
  using Key = std::tuple<std::size_t, bool, std::size_t>;  ///< board, GPU, threads

  void take_measured(LayerTimes& times, std::size_t threads) const;

  const models::Network& network_;
  const ClusterModel& cluster_;
  const platforms::Efficiencies& efficiencies_;
  std::span<const cost::LayerTime> measured_;
  std::map<Key, LayerTimes> tables_;
};

}  // namespace spillway::pipeline
