#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "sim/core/task.hpp"

namespace spillway::trace {

/// Every task kind, in the order of its numbers.
inline constexpr std::array task_kinds{core::TaskKind::read_input, core::TaskKind::read_weights,
                                       core::TaskKind::compute, core::TaskKind::write_output};

/// The name of a task kind in every file and table.
constexpr std::string_view to_string(core::TaskKind kind) {
  switch (kind) {
    case core::TaskKind::read_input:
      return "read_input";
    case core::TaskKind::read_weights:
      return "read_weights";
    case core::TaskKind::compute:
      return "compute";
    case core::TaskKind::write_output:
      return "write_output";
  }
  return {};
}

/// The kind with that name; empty: there is none.
constexpr std::optional<core::TaskKind> task_kind(std::string_view name) {
  for (const core::TaskKind kind : task_kinds) {
    if (to_string(kind) == name) return kind;
  }
  return std::nullopt;
}

}  // namespace spillway::trace
