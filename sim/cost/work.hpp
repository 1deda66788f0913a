#pragma once

#include <array>
#include <cstdint>

#include "models/network.hpp"
#include "platforms/efficiencies.hpp"

namespace spillway::cost {

/// Position in platforms::compute_kinds.
enum class ComputeKind : std::uint8_t { convolution, winograd, pointwise, depthwise, dense };

/// Position in platforms::memory_kinds.
enum class MemoryKind : std::uint8_t { convolution, dense, elementwise, pooling };

/// What layers ask of a processor: multiply-accumulates and bytes by kind, and calls of the library. The work of
/// several layers is the sum.
struct Work {
  std::array<double, platforms::compute_kinds.size()> macs{};
  std::array<double, platforms::memory_kinds.size()> bytes{};  ///< inputs, outputs and weights in float32, each once
  double calls = 0;

  Work& operator+=(const Work& other);
  friend bool operator==(const Work&, const Work&) = default;
};

/// Whether the operator is an activation: a function of each element by itself, with nothing learned.
bool is_activation(models::Operator op);

/// Whether nothing is computed: shapes alone (flatten, reshape), the input, and what has no effect at inference.
bool has_no_work(models::Operator op);

/// The work of one layer of its own. Shapes alone (flatten, reshape), the input, and what has no effect at inference
/// (dropout, identity) are none.
Work work_of(const models::Network& network, models::NodeId id);

/// Whether the layer can run behind the one that makes its input, at no cost, where both are on one resource: an
/// activation or batch normalization behind a convolution or dense layer (with others of these between them), each of
/// which nobody else reads.
bool can_fuse(const models::Network& network, models::NodeId id);

/// The work of a whole network in one process, with everything fused that can be.
Work work_of(const models::Network& network);

}  // namespace spillway::cost
