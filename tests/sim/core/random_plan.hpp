#pragma once

#include <cstdint>

#include "plan_tables.hpp"

namespace spillway::oracle {

/// splitmix64 (Steele, Lea, Flood 2014): the same numbers on every machine and library.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next();

  /// A number of [first, last].
  std::uint32_t between(std::uint32_t first, std::uint32_t last);

  /// True with a probability in percent.
  bool chance(std::uint32_t percent) { return between(1, 100) <= percent; }

 private:
  std::uint64_t state_;
};

/// A random plan that core::Scheduler::check accepts, the same for the same seed: a graph of 1 to 7 layers (a few: up
/// to 70) with windows, channelwise layers, element-wise sums, concatenations, split inputs, dense layers; 1 to 5
/// frames; 4 to 24 buffers; both queues; sometimes one shared pool.
PlanTables random_plan(std::uint64_t seed);

/// A random plan that has at least one layer with pins: a random plan (queue skip, pools apart) in which rows hold
/// their weights outside, keep their output or both, mostly in pools that the pins leave almost nothing of.
PlanTables random_plan_with_pins(std::uint64_t seed);

}  // namespace spillway::oracle
