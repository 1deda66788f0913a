#pragma once

#include <cstdint>

#include "sim/core/plan.hpp"

/// How many tasks a plan has and what they move, by arithmetic: nothing is scheduled.
namespace spillway::tiling {

/// Tasks of one frame.
struct TaskCounts {
  std::uint64_t read_input = 0, read_weights = 0, compute = 0, write_output = 0;

  std::uint64_t io() const { return read_input + read_weights + write_output; }
  TaskCounts& operator+=(const TaskCounts& other);
  friend bool operator==(const TaskCounts&, const TaskCounts&) = default;
};

/// Tasks of one layer and frame: over its tiles, the parts that have something to give to the tile, the chunks twice
/// (read, where the layer has weights, and computed), and one output.
TaskCounts count_tasks(const core::Plan& plan, core::LayerIndex layer);

/// Tasks of one frame.
TaskCounts count_tasks(const core::Plan& plan);

/// IO and compute tasks of one frame.
std::uint64_t io_tasks(const core::Plan& plan);
std::uint64_t compute_tasks(const core::Plan& plan);

/// Bytes of one frame between card and SRAM, as core::bytes_of charges them, and the compute work, as core::work_of.
struct Traffic {
  std::uint64_t input_bytes = 0, weight_bytes = 0, output_bytes = 0;
  std::uint64_t work = 0;

  std::uint64_t read_bytes() const { return input_bytes + weight_bytes; }
  std::uint64_t bytes() const { return read_bytes() + output_bytes; }
  Traffic& operator+=(const Traffic& other);
};

Traffic traffic(const core::Plan& plan, core::LayerIndex layer);
Traffic traffic(const core::Plan& plan);

/// The least that a layer moves if nothing stays in SRAM beyond it: its input, weights and output once each.
Traffic tensors_once(const core::Plan& plan, core::LayerIndex layer);
Traffic tensors_once(const core::Plan& plan);

}  // namespace spillway::tiling
