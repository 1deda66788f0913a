#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <vector>

#include "hw/kernels/run.hpp"

/// What a generated program is made of: one function for each MPI process, written with the classes below. C++17, MPI
/// and OpenMP; shipped as source with each package.
namespace spillway::mpi {

class Rank;
class Job;

/// One MPI process of the program.
struct RankDescription {
  const char* key;      ///< of the mapping, `edge01_arm123`
  const char* device;   ///< host name and folder of the package
  int threads;          ///< of OpenMP, one for each core of the key
  bool gpu;             ///< computes on the device's GPU
  const char* weights;  ///< file beside the program
  void (*run)(Rank&);   ///< the rank's work
};

/// A generated program.
struct Program {
  const char* model;
  std::uint64_t split;  ///< hash of the split, the same in each of its weight files
  int buffers;          ///< tensors that are sent between ranks
  std::vector<RankDescription> ranks;
};

/// Runs the rank that this process is. Returns the exit code: 0 done, 1 the run failed, 2 the request was wrong.
/// Where MPI runs already, the caller's job goes on behind it and the first processes of the job are the ranks.
int run(const Program& program, int argc, char** argv);

/// A tensor that comes from another rank, frame by frame.
class Inbox {
 public:
  /// Posts the receives of this frame and, with --comm overlap, of the next, unless they are posted.
  void expect();
  /// Sleeps until this frame's tensor is there. Valid to the end of the frame.
  const float* wait();

 private:
  friend class Rank;
  Job* job_ = nullptr;
  std::size_t number_ = 0;
};

/// A tensor that other ranks need.
class Outbox {
 public:
  /// Memory for this frame's tensor; sleeps until the frame that had it before is sent.
  float* reserve();
  /// Begins to send what is in the reserved memory.
  void send();
  /// The same from other memory, an input say, that stays as it is.
  void send(const float* numbers);

 private:
  friend class Rank;
  Job* job_ = nullptr;
  std::size_t number_ = 0;
};

/// What a rank's function works with.
class Rank {
 public:
  explicit Rank(Job& job) : job_(&job) {}

  int threads() const;

  /// Trained numbers: `count` floats that begin `offset` floats into the rank's weight file.
  const float* weights(std::size_t offset, std::size_t count) const;
  /// Memory for tensors that stay in this rank, aligned to 64 bytes.
  float* arena(std::size_t floats);
  /// Memory for the layers to work in: as much as the largest of them wants.
  void scratch(std::initializer_list<std::size_t> bytes);

  /// An input of the network, read from a raw float32 file; one that is missing ends the job.
  int input(const char* name, std::size_t elements);
  /// A result of the network, written to a raw float32 file.
  int output(const char* name, std::size_t elements);
  /// A tensor from or for other ranks. `tag` numbers it in the whole program.
  Inbox receive(const char* name, int tag, int from, std::size_t elements);
  Outbox send(const char* name, int tag, std::initializer_list<int> to, std::size_t elements);

  /// Begins the next frame; false behind the last one.
  bool next_frame();
  /// This frame's numbers of an input.
  const float* read(int input);
  /// This frame's numbers of a result.
  void write(int output, const float* numbers);
  /// Notes which layer begins, for the message about a rank that fails.
  void layer(int number, const char* name);
  /// How its kernel runs.
  kernels::Execution execution() const;
  /// Ends the frame: with --comm paper when its sends are complete.
  void finish_frame();

 private:
  Job* job_;
};

}  // namespace spillway::mpi
