#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "sim/trace/sink.hpp"

namespace spillway::trace {

/// Passes a run on to several sinks, in the order in which they were given. They must outlive it.
class Tee final : public Sink {
 public:
  explicit Tee(std::initializer_list<Sink*> sinks) : sinks_(sinks) {}
  explicit Tee(std::vector<Sink*> sinks) : sinks_(std::move(sinks)) {}

  void record(const Record& record) override {
    for (Sink* sink : sinks_)
      sink->record(record);
  }
  void pools(const PoolLevels& levels) override {
    for (Sink* sink : sinks_)
      sink->pools(levels);
  }

 private:
  std::vector<Sink*> sinks_;
};

}  // namespace spillway::trace
