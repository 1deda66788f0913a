#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "hw/mpi/charged/cost_table.hpp"
#include "hw/mpi/charged/exchange.hpp"
#include "hw/mpi/charged/processor.hpp"
#include "hw/mpi/runtime/options.hpp"
#include "hw/mpi/runtime/rank.hpp"

namespace spillway::mpi {

/// One rank at work under SMPI. Tensors and weights are addresses that nobody reads.
class Job {
 public:
  /// Throws JobError: options that a charged run has no meaning for.
  Job(const Program& program, int rank, const Options& options, const CostTable& costs);

  /// Runs the rank's function. Throws JobError.
  void work();
  /// When frames began and ended over all ranks: rank 0 writes `run.txt` into the folder of results. Called by all.
  /// Throws JobError: the file cannot be written.
  void report() const;

  int threads() const { return description_.threads; }
  /// The one at work, warm-up included.
  long frame() const { return frame_; }
  /// Tensors from or for other ranks; return their position in the exchange.
  std::size_t add_receive(int tag, int from, std::size_t floats);
  std::size_t add_send(int tag, const std::vector<int>& to, std::size_t floats);
  /// The rank reads an input of the network: its frames begin when it begins them.
  void note_input() { reads_ = true; }
  /// A result of the network is there.
  void note_result();
  /// Begins the next frame; false behind the last one.
  bool next_frame();
  /// Waits for the frame's sends with --comm paper, and for all of them behind the last frame.
  void finish_frame();
  /// How kernels run: with --comm overlap they have progress points.
  kernels::Execution execution();

  Processor processor;
  Exchange exchange;

 private:
  long total_frames() const { return options_.warm_up + options_.frames; }
  /// Seconds since the rank began, all at once.
  double seconds() const { return MPI_Wtime() - start_; }
  /// What passes between this rank and another.
  Exchange::Peer peer(int rank, std::size_t floats, double byte_ns) const;

  const Program& program_;
  const int rank_;
  const RankDescription& description_;
  const Options& options_;
  const CostTable& costs_;
  const double start_;
  bool reads_ = false;  ///< inputs of the network
  long frame_ = -1;
  std::vector<double> begins_, ends_;  ///< by frame: an input is taken, the last result is there
  double end_ = 0;                     ///< of the rank's work
};

}  // namespace spillway::mpi
