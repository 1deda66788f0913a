#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "sim/pipeline/machine.hpp"
#include "sim/pipeline/program.hpp"

namespace spillway::pipeline {

/// The links of a machine, numbered; each serves one direction.
class Links {
 public:
  explicit Links(const Machine& machine);

  std::size_t up(std::size_t device) const { return per_device * device; }
  std::size_t down(std::size_t device) const { return per_device * device + 1; }
  std::size_t memory(std::size_t device) const { return per_device * device + 2; }
  std::size_t to_gpu(std::size_t device) const { return per_device * device + 3; }
  std::size_t from_gpu(std::size_t device) const { return per_device * device + 4; }

  std::size_t size() const { return links_.size(); }
  const LinkModel& operator[](std::size_t link) const { return links_[link]; }

 private:
  static constexpr std::size_t per_device = 5;
  std::vector<LinkModel> links_;
};

/// The links that a message takes.
struct Path {
  std::array<std::uint32_t, 4> links{};
  std::size_t count = 0;

  std::span<const std::uint32_t> span() const& { return std::span(links).first(count); }
  std::span<const std::uint32_t> span() const&& = delete;  ///< of a path that is gone when the loop begins
};

/// From the memory that one rank works in to that of another.
Path path_between(const Placement& source, const Placement& destination, const Links& links);

/// Nanoseconds before the first byte arrives.
std::uint64_t latency_ns(const Path& path, std::uint64_t bytes, const Links& links, const Machine& machine);

/// The same machine with links that take no time but for the bytes.
Machine without_latencies(Machine machine);

}  // namespace spillway::pipeline
