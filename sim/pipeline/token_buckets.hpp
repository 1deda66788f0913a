#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "sim/pipeline/machine.hpp"

namespace spillway::pipeline {

/// The token buckets of the boards' ways to the switch: after a rest a way passes some bytes at once.
class TokenBuckets {
 public:
  explicit TokenBuckets(const Machine& machine)
      : most_bytes_(machine.burst_bytes),
        bytes_per_ns_(machine.network.bytes_per_s * 1e-9),
        ways_(machine.devices.size()) {}

  /// Bytes of a transfer from the board that do not pass at once.
  std::uint64_t begin(std::uint64_t bytes, std::size_t device, std::uint64_t now_ns) {
    Way& way = ways_[device];
    if (way.transfers++ > 0) return bytes;
    const auto rest_ns = static_cast<double>(now_ns - way.rests_since_ns);
    const double at_once = std::min(most_bytes_, rest_ns * bytes_per_ns_);
    return bytes - std::min(bytes, static_cast<std::uint64_t>(at_once));
  }

  void end(std::size_t device, std::uint64_t now_ns) {
    --ways_[device].transfers;
    ways_[device].rests_since_ns = now_ns;
  }

 private:
  struct Way {
    std::size_t transfers = 0;
    std::uint64_t rests_since_ns = 0;
  };
  double most_bytes_, bytes_per_ns_;
  std::vector<Way> ways_;
};

}  // namespace spillway::pipeline
