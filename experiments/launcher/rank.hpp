#pragma once

#include <chrono>
#include <cstddef>
#include <list>
#include <memory>
#include <string>
#include <vector>

#include <mpi.h>

#include "experiments/crew/frame.hpp"
#include "experiments/launcher/child.hpp"

namespace spillway::launcher {

/// A rank of the job: it carries frames between the process that gives the work, which rank 0 starts, and one worker
/// for each rank. It understands none of them. It sleeps between looks at its sockets and at MPI, whose own waits would
/// take the core of the worker.
class Rank {
 public:
  /// `arguments` of `program`, the verb first. MPI must be initialised. Throws std::system_error: the process that
  /// gives the work cannot be started.
  Rank(std::string program, std::vector<std::string> arguments);

  /// Until the work is done; the exit code of the process that gave it; on other ranks 0, or 1 when rank 0 has gone.
  int run();

  /// Whether all ranks are there, as far as is known: only then may MPI be finalised.
  bool is_whole() const { return whole_; }

 private:
  using Clock = std::chrono::steady_clock;

  /// A message on its way.
  struct Sending {
    MPI_Request request = MPI_REQUEST_NULL;
    std::string text;
  };

  bool serve_master();
  bool serve_worker();
  bool serve_ranks();
  void handle(int from, int tag, std::string text);
  void post(int to, int tag, std::string text);
  void end_worker(const std::string& how);
  void lose(int rank, const std::string& why);
  void look_after_ranks();
  void end_ranks();
  bool complete_sendings();

  std::string program_;
  std::vector<std::string> arguments_;
  int rank_ = 0, ranks_ = 1;
  std::unique_ptr<Child> master_;  ///< on rank 0
  std::unique_ptr<Child> worker_;  ///< from its first request on, until it ends
  bool worker_ended_ = false, over_ = false, whole_ = true;
  int code_ = 0;
  std::list<Sending> sendings_;
  std::vector<Clock::time_point> heard_;  ///< of each rank
  std::vector<bool> lost_;                ///< each rank
  Clock::time_point spoken_;              ///< to all that must know that this rank is there
};

}  // namespace spillway::launcher
