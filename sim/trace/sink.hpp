#pragma once

#include "sim/trace/record.hpp"

namespace spillway::trace {

/// Receives a run as it happens: records in the order in which tasks finish (compute before IO within one instant),
/// pool levels whenever they change, in the order of time.
class Sink {
 public:
  virtual ~Sink() = default;
  virtual void record(const Record& record) = 0;
  virtual void pools(const PoolLevels& levels) = 0;
};

}  // namespace spillway::trace
