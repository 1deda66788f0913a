#pragma once

#include <cstdint>
#include <vector>

namespace spillway::pipeline {

/// Time of one rank over a run, in nanoseconds.
struct RankTimes {
  std::uint64_t compute_ns = 0;       ///< its layers, on as many cores as it has
  std::uint64_t call_ns = 0;          ///< messages, on one core
  std::uint64_t receive_wait_ns = 0;  ///< for tensors to arrive
  std::uint64_t send_wait_ns = 0;     ///< for tensors to be received by others
};

/// What a run of some frames was. Times are nanoseconds of simulated time from its begin.
struct Run {
  std::uint64_t makespan_ns = 0;              ///< until everything is computed and received
  std::vector<std::uint64_t> frame_begin_ns;  ///< an input of the frame is taken
  std::vector<std::uint64_t> frame_done_ns;   ///< the last result of the frame is there
  std::vector<RankTimes> ranks;
};

}  // namespace spillway::pipeline
