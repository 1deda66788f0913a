#include "hw/mpi/charged/processor.hpp"

#include <algorithm>
#include <string>

#include <mpi.h>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>
#include <smpi/smpi.h>

#include "hw/mpi/runtime/options.hpp"

namespace spillway::mpi {
namespace {

Processor* the_processor = nullptr;

void execute(double nanoseconds, int threads) {
  if (threads <= 1)
    smpi_execute_flops(nanoseconds);
  else  // SMPI's own call occupies one core
    simgrid::s4u::this_actor::thread_execute(simgrid::s4u::this_actor::get_host(), nanoseconds, threads);
}

}  // namespace

void Processor::compute(kernels::LayerId layer, std::int64_t blocks, const kernels::Execution& execution) {
  const auto cost = layer_ns_.find(layer);
  if (cost == layer_ns_.end())
    throw JobError(2, "layer " + std::to_string(layer) + " has no cost; expected the costs of this split");
  long& called = called_[layer];
  if (called == frame_) return;
  called = frame_;
  const bool in_pieces = execution.progress != nullptr;
  const std::int64_t pieces = in_pieces ? std::max<std::int64_t>(1, (blocks + threads_ - 1) / threads_) : 1;
  for (std::int64_t piece = 0; piece < pieces; ++piece) {
    if (cost->second > 0) execute(static_cast<double>(cost->second) / static_cast<double>(pieces), threads_);
    if (in_pieces) execution.progress(execution.progress_argument);
  }
}

void Processor::call(double nanoseconds) const {
  if (nanoseconds > 0) execute(nanoseconds, 1);
}

void use_processor(Processor* processor) {
  the_processor = processor;
}

Processor& processor() {
  return *the_processor;
}

}  // namespace spillway::mpi
