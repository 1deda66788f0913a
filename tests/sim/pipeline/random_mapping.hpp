#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "models/network.hpp"
#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

namespace spillway::pipeline {

/// Nodes of small networks.
models::Node input_node(const std::string& name, models::Shape shape);
models::Node relu_node(const std::string& name, models::NodeId input);

/// Boards like a Jetson Xavier NX: six cores and a GPU, 1 Gb/s.
Machine test_machine(std::size_t devices);

/// Plausible times of a network's layers: by work, on one core, six cores and a GPU.
struct TestTimes {
  explicit TestTimes(const models::Network& network);

  LayerTimes one_core, six_cores, gpu;
};

/// Where the nodes of a network run.
struct RandomMapping {
  std::vector<Rank> rank_of_node;
  std::vector<Placement> placements;
};

enum class Shape { contiguous, scattered };

/// Ranks on different cores or GPUs: none is shared.
RandomMapping random_mapping(const models::Network& network, const Machine& machine, const TestTimes& times,
                             Shape shape, std::mt19937& random);

}  // namespace spillway::pipeline
