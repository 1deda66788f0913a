#pragma once

#include <cstdint>
#include <string>

#include "min_traffic_card.hpp"
#include "random_network.hpp"

#include "sim/core/plan.hpp"

/// Runs a plan on the core with its own book about what lies where: on the card, in each buffer.
namespace spillway::least_traffic {

/// What a run did, over all frames.
struct Replay {
  std::uint64_t input_bytes = 0, weight_bytes = 0, output_bytes = 0;  ///< counted in sectors that were touched
  std::uint64_t io_tasks = 0;
  /// What was wrong first: data used that was not there, written twice, lost, or charged at another number of bytes;
  /// empty for a sound run.
  std::string fault;

  std::uint64_t bytes() const { return input_bytes + weight_bytes + output_bytes; }
};

/// Executes the plan with tasks that finish in random order, one IO task or three at a time. `network_input` is the
/// shape of the network's input.
Replay replay(const core::Plan& plan, const MapShape& network_input, tiling::Random& random);

}  // namespace spillway::least_traffic
