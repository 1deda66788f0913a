#pragma once

#include <cstdint>

namespace spillway::core {

/// The four kinds of task (SwapNN, Figure 5): three IO tasks and one compute task.
enum class TaskKind : std::uint8_t {
  read_input,    ///< one part of a tile's input region, card to SRAM
  read_weights,  ///< one weight chunk, card to SRAM
  compute,       ///< one (output tile, weight chunk) pair
  write_output,  ///< one output tile, SRAM to card
};

/// A task of the implicit graph: it is named by these numbers and stored nowhere.
struct Task {
  std::uint32_t frame = 0;
  std::uint32_t tile = 0;   ///< output tile of the layer, see Layer
  std::uint32_t index = 0;  ///< read_input: part; read_weights and compute: chunk; write_output: 0
  std::uint16_t layer = 0;  ///< row of the Plan
  TaskKind kind = TaskKind::read_input;

  friend constexpr bool operator==(const Task&, const Task&) = default;
};

/// True for the tasks that occupy the card.
constexpr bool is_io(TaskKind kind) {
  return kind != TaskKind::compute;
}

}  // namespace spillway::core
