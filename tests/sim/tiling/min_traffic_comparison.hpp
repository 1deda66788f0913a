#pragma once

#include <cstdint>

#include "random_network.hpp"

#include "models/network.hpp"
#include "sim/tiling/swap_plan.hpp"

namespace spillway::least_traffic {

/// What the compared plans were like: whether the random cases reach what they are for.
struct Reached {
  int plans = 0, infeasible = 0;
  int chains = 0, branches = 0;  ///< networks
  int planes = 0;                ///< plans that the search made and not rule halo
  // Layers of these with
  int weights_outside = 0, kept_outputs = 0, cut_filters = 0, channel_groups = 0, cut_columns = 0, blocks = 0,
      several_buffers = 0, several_parts = 0;
};

/// Expects that a replay finds a plan sound and counts the bytes and IO tasks that the plan says.
void expect_sound_replay(const models::Network& network, const tiling::SwapPlan& plan, tiling::Random& random);

/// Expects that the plan of rule min-traffic moves as many bytes as the brute force says, or as rule halo's plan if
/// that moves fewer, that it does so with as few IO tasks, and that a replay finds it sound and counts the same bytes.
void expect_least(const models::Network& network, const tiling::Request& request, tiling::Random& random,
                  Reached& reached);

/// The same for `count` random networks with random buffers.
Reached expect_least_on_random_networks(std::uint32_t seed, int count);

}  // namespace spillway::least_traffic
