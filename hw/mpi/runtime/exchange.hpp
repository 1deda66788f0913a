#pragma once

#include <cstddef>
#include <vector>

// The C interface alone: the C++ one of old MPI libraries takes seconds to compile.
#ifndef OMPI_SKIP_MPICXX
#define OMPI_SKIP_MPICXX 1
#endif
#include <mpi.h>

namespace spillway::mpi {

/// Sleeps until the request is complete: MPI's own waits burn a core.
void wait_asleep(MPI_Request request);

/// Several copies of a tensor: frame f uses copy f mod copies.
class Copies {
 public:
  Copies(std::size_t floats, std::size_t copies);

  float* of(long frame) { return numbers_.data() + offset_ + static_cast<std::size_t>(frame) % copies_ * stride_; }

 private:
  std::size_t copies_, stride_, offset_;
  std::vector<float> numbers_;
};

/// The messages of one rank. Every request of the rank stands in one list, so that whoever waits for one of them moves
/// all of them on.
class Exchange {
 public:
  /// `copies` of each tensor; `buffers`: tags of the whole program; synchronous sends complete when they are received.
  Exchange(MPI_Comm communicator, std::size_t copies, int buffers, bool synchronous, long frames);

  /// Return the position of the new tensor.
  std::size_t add_receive(int tag, int from, std::size_t floats);
  std::size_t add_send(int tag, std::vector<int> to, std::size_t floats);

  void expect(std::size_t receive, long frame);
  const float* wait(std::size_t receive, long frame);
  float* reserve(std::size_t send, long frame);
  void start(std::size_t send, long frame, const float* numbers);
  /// Until every send is complete.
  void wait_for_sends();

  /// Moves messages on.
  void progress();

  double receive_wait() const { return receive_wait_; }  ///< seconds so far
  double send_wait() const { return send_wait_; }

 private:
  struct Receive {
    int tag, from;
    std::size_t floats;
    Copies copies;
    std::size_t requests;  ///< the first of `copies` ones
    long posted = 0;       ///< frames
  };
  struct Send {
    int tag;
    std::vector<int> to;
    std::size_t floats;
    Copies copies;
    std::size_t requests;  ///< the first of copies x destinations
  };

  int tag_of(int tag, long frame) const;
  bool complete(std::size_t first, std::size_t count) const;
  /// Sleeps until these requests are complete; adds the seconds to `waited`.
  void wait_for(std::size_t first, std::size_t count, double& waited);

  MPI_Comm communicator_;
  std::size_t copies_;
  int buffers_;
  bool synchronous_;
  long frames_;
  std::vector<Receive> receives_;
  std::vector<Send> sends_;
  std::vector<MPI_Request> requests_;
  std::vector<int> completed_;
  double receive_wait_ = 0, send_wait_ = 0;
};

}  // namespace spillway::mpi
