#pragma once

#include <cstddef>
#include <vector>

#include <mpi.h>

#include "hw/mpi/charged/processor.hpp"

namespace spillway::mpi {

/// The messages of one rank: those of runtime/exchange.hpp, of their true sizes but without meaning, so that all have
/// the same memory. Waits are MPI's own, which cost no simulated time, and SMPI moves messages without help. The time
/// of a core for a message is taken before sends and behind receives: SMPI's own overheads (smpi/os, smpi/or) do not
/// occupy a core, and do not know whether a message leaves its device.
class Exchange {
 public:
  /// `copies` of each tensor are under way at most; `buffers`: tags of the whole program; synchronous sends complete
  /// when they are received. All frames are `frames`.
  Exchange(Processor& processor, std::size_t copies, int buffers, bool synchronous, long frames)
      : processor_(processor), copies_(copies), buffers_(buffers), synchronous_(synchronous), frames_(frames) {}

  /// One rank that a tensor comes from or goes to.
  struct Peer {
    int rank = 0;
    double call_ns = 0;  ///< of a core for each message
  };

  /// Return the position of the new tensor.
  std::size_t add_receive(int tag, Peer from, std::size_t floats);
  std::size_t add_send(int tag, std::vector<Peer> to, std::size_t floats);

  /// Posts the receives of this frame and of copies - 1 behind it.
  void expect(std::size_t receive, long frame);
  /// Until the frame's tensor is there, and a core has taken it. Its numbers mean nothing.
  const float* wait(std::size_t receive, long frame);
  /// Until the frame that had the memory before is sent.
  float* reserve(std::size_t send, long frame);
  /// A core passes the tensor on; then its messages begin.
  void start(std::size_t send, long frame);
  /// Until every send is complete.
  void wait_for_sends();

 private:
  struct Tensor {
    int tag = 0;
    std::vector<Peer> peers;
    std::size_t floats = 0;
    std::vector<MPI_Request> requests;  ///< copies x peers
    long posted = 0;                    ///< frames, of a receive
  };

  std::size_t add(std::vector<Tensor>& tensors, int tag, std::vector<Peer> peers, std::size_t floats);
  MPI_Request* requests_of(Tensor& tensor, long frame) const;
  int tag_of(const Tensor& tensor, long frame) const;

  Processor& processor_;
  std::size_t copies_;
  int buffers_;
  bool synchronous_;
  long frames_;
  std::vector<Tensor> receives_, sends_;
  std::vector<float> numbers_;  ///< as many as the largest tensor has
};

}  // namespace spillway::mpi
