#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "hw/kernels/session/program.hpp"
#include "models/network.hpp"
#include "models/split/schedule.hpp"
#include "models/split/split.hpp"
#include "models/weights.hpp"

namespace spillway::mpi {

/// Where the numbers of a value lie in a generated rank.
struct Place {
  enum class Kind {
    none,     ///< nobody needs it
    arena,    ///< `index`: offset in floats
    inbox,    ///< `index`: the buffer that is received
    outbox,   ///< `index`: the buffer that is sent, written where it is sent from
    input,    ///< `index`: NodeId of the network's input
    weights,  ///< `index`: offset in the weight file, in floats
  };
  Kind kind = Kind::none;
  std::size_t index = 0;
};

/// What a rank's function is written from: its layers as calls of the kernels, and where everything lies.
struct RankPlan {
  kernels::Program program;  ///< layer ids are NodeIds of the whole network
  /// By position in program.steps: the last node of the whole network whose work the call does. The call stands there.
  std::vector<models::NodeId> call_at;
  std::vector<kernels::ValueId> value_of_node;  ///< by NodeId; no_value: not known to this rank
  std::vector<Place> places;                    ///< by value; a view is where its value is
  std::vector<kernels::ValueId> constants;      ///< in the order of the weight file
  std::size_t arena_floats = 0;
  std::size_t weight_floats = 0;  ///< with the gaps between tensors
};

/// Plans a rank. `weights` may be empty: then the plan has no numbers, but places for them.
RankPlan plan_rank(const models::Network& network, const split::Split& split, split::Rank rank,
                   const models::Weights& weights);

}  // namespace spillway::mpi
