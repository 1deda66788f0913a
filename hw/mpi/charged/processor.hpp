#pragma once

#include <cstdint>
#include <map>
#include <utility>

#include "hw/kernels/run.hpp"

namespace spillway::mpi {

/// Lets so much simulated time pass on that many cores of the calling rank's host. Given by whoever knows the simulator
/// (experiments/smpi/occupy_cores.cpp).
void occupy_cores(double nanoseconds, int cores);

/// What one rank computes with, the cores of its key or a GPU, under SMPI. A core of the simulated hosts does one unit
/// of work in a nanosecond.
class Processor {
 public:
  /// `layer_ns`: what a call of each layer costs, by its id; `threads`: cores that it occupies.
  Processor(int threads, std::map<std::int32_t, std::uint64_t> layer_ns)
      : threads_(threads), layer_ns_(std::move(layer_ns)) {}

  /// Takes the layer's time: in one piece or, where messages are moved on between blocks, in as many as the calling
  /// thread computes of them. Free when the frame has called the layer before: the cost is that of all its calls.
  /// Throws JobError: the layer has no cost.
  void compute(kernels::LayerId layer, std::int64_t blocks, const kernels::Execution& execution);
  /// One core passes a message on.
  void call(double nanoseconds) const;
  /// Every layer may be called again.
  void begin_frame() { ++frame_; }

 private:
  int threads_;
  std::map<std::int32_t, std::uint64_t> layer_ns_;
  std::map<std::int32_t, long> called_;  ///< the last frame, counted from 1
  long frame_ = 0;
};

/// Names the processor of this process's rank; SMPI gives each rank variables of its own. The interface of the kernels
/// has no place for it.
void use_processor(Processor* processor);

/// Must only be called after use_processor.
Processor& processor();

}  // namespace spillway::mpi
