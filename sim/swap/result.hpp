#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "sim/core/scheduler.hpp"

/// Simulators of one board that swaps, energy and wear.
namespace spillway::swap {

/// Whether IO and compute may overlap.
enum class Mode : std::uint8_t { parallel, sequential };

/// Which clock drives the core.
enum class Driver : std::uint8_t { virtual_clock, simgrid };

/// Who decrypts and checks what is read from the card, and encrypts and signs what is written to it.
enum class Crypto : std::uint8_t {
  none,         ///< the network lies open on the card
  cpu,          ///< compute tasks take longer: see ServiceTimes
  accelerator,  ///< IO operations take longer
};

/// What a run was and how long it took. Times in nanoseconds of simulated time.
struct Result {
  std::uint64_t makespan_ns = 0;
  std::uint64_t io_busy_ns = 0;              ///< card busy, summed
  std::uint64_t compute_busy_ns = 0;         ///< CPU computing, summed; contention included
  std::array<std::uint64_t, 4> tasks{};      ///< by core::TaskKind
  std::array<std::uint64_t, 4> bytes{};      ///< by core::TaskKind
  std::vector<std::uint64_t> frame_done_ns;  ///< for each frame
  bool stalled = false;                      ///< the run ended in a deadlock; `waiting` says who waits for what
  std::vector<core::Waiting> waiting;

  std::uint64_t io_tasks() const { return tasks[0] + tasks[1] + tasks[3]; }
  std::uint64_t compute_tasks() const { return tasks[2]; }
  std::uint64_t bytes_read() const { return bytes[0] + bytes[1]; }
  std::uint64_t bytes_written() const { return bytes[3]; }
  /// IO that ran while the CPU computed: busy times less the makespan (0 in sequential mode).
  std::uint64_t hidden_io_ns() const {
    const std::uint64_t busy = io_busy_ns + compute_busy_ns;
    return busy > makespan_ns ? busy - makespan_ns : 0;
  }
};

}  // namespace spillway::swap
