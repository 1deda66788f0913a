#include "hw/mpi/charged/processor.hpp"

#include <algorithm>
#include <string>

#include "hw/mpi/runtime/options.hpp"

namespace spillway::mpi {
namespace {

Processor* the_processor = nullptr;

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
    if (cost->second > 0) occupy_cores(static_cast<double>(cost->second) / static_cast<double>(pieces), threads_);
    if (in_pieces) execution.progress(execution.progress_argument);
  }
}

void Processor::call(double nanoseconds) const {
  if (nanoseconds > 0) occupy_cores(nanoseconds, 1);
}

void use_processor(Processor* processor) {
  the_processor = processor;
}

Processor& processor() {
  return *the_processor;
}

}  // namespace spillway::mpi
