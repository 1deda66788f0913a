#pragma once

#include <cstdint>

#include "hw/kernels/int8/layers.hpp"

/// Reading a layer's input, wherever its bytes lie.
namespace spillway::int8 {

/// Elements of one row of the map: columns first_column, first_column + step, ..., of each the channels. Row and
/// columns may lie in the padding.
struct RowElements {
  std::int32_t row = 0;
  std::int32_t first_column = 0;
  std::uint32_t columns = 1, step = 1;
  core::Range channels;

  std::uint32_t size() const { return columns * channels.size(); }
};

constexpr std::uint32_t less(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

constexpr bool holds(core::Range range, std::uint32_t position) {
  return position >= range.first && position < range.last;
}

/// The patch that has the element, or null.
inline const Patch* patch_at(const Input& input, std::uint32_t row, std::uint32_t column, std::uint32_t channel) {
  for (const Patch& patch : input.patches) {
    if (holds(patch.box.rows, row) && holds(patch.box.columns, column) && holds(patch.box.channels, channel))
      return &patch;
  }
  return nullptr;
}

inline std::uint32_t byte_of(const Patch& patch, std::uint32_t row, std::uint32_t column, std::uint32_t channel) {
  const core::Region& box = patch.box;
  return patch.first_byte +
         ((row - box.rows.first) * box.columns.size() + column - box.columns.first) * box.channels.size() + channel -
         box.channels.first;
}

/// Rows that lie in one patch and one buffer.
struct Block {
  const std::int8_t* first = nullptr;  ///< null where they do not
  std::uint32_t row_bytes = 0;         ///< from a row to the next
  std::uint32_t column_bytes = 0;      ///< from a column to the next
};

/// `rows` rows, the first of which is `row`, `row_step` apart.
inline Block block_of(const Input& input, const RowElements& row, std::uint32_t rows, std::uint32_t row_step) {
  if (row.row < 0 || row.first_column < 0) return {};
  const auto y = static_cast<std::uint32_t>(row.row), x = static_cast<std::uint32_t>(row.first_column);
  const Patch* const patch = patch_at(input, y, x, row.channels.first);
  if (patch == nullptr) return {};
  const core::Region& box = patch->box;
  const std::uint32_t more_rows = (rows - 1) * row_step, more_columns = (row.columns - 1) * row.step;
  if (y + more_rows >= box.rows.last || x + more_columns >= box.columns.last || row.channels.last > box.channels.last)
    return {};
  const std::uint32_t depth = box.channels.size(), width = box.columns.size();
  const std::uint32_t byte = byte_of(*patch, y, x, row.channels.first);
  const std::uint32_t place = byte % patch->chain.buffer_bytes;
  if (place + (more_rows * width + more_columns) * depth + row.channels.size() > patch->chain.buffer_bytes) return {};
  return {patch->chain.buffers[byte / patch->chain.buffer_bytes] + place, row_step * width * depth, row.step * depth};
}

/// Calls take(pointer, bytes) for bytes of a chain, once for each buffer.
template <typename Take>
void read_bytes(const BufferChain& chain, std::uint32_t byte, std::uint32_t bytes, Take& take) {
  while (bytes != 0) {
    const std::uint32_t run = less(bytes, chain.left(byte));
    take(chain.at(byte), run);
    byte += run;
    bytes -= run;
  }
}

/// One column: calls take for channels [first, last).
template <typename Take>
void read_column(const Input& input, std::int32_t row, std::int32_t column, core::Range channels, Take& take) {
  const auto y = static_cast<std::uint32_t>(row), x = static_cast<std::uint32_t>(column);
  while (!channels.empty()) {
    // Positions before the map are large numbers.
    const Patch* patch = y < input.height && x < input.width ? patch_at(input, y, x, channels.first) : nullptr;
    if (patch == nullptr) {
      take(static_cast<const std::int8_t*>(nullptr), channels.size());
      return;
    }
    const std::uint32_t last = less(channels.last, patch->box.channels.last);
    read_bytes(patch->chain, byte_of(*patch, y, x, channels.first), last - channels.first, take);
    channels.first = last;
  }
}

/// Columns [at, ...) of a row that lie in one patch which has all its channels; 0 where there is no such patch.
struct PatchColumns {
  const Patch* patch = nullptr;
  std::uint32_t columns = 0;
};

inline PatchColumns patch_columns(const Input& input, const RowElements& row, std::uint32_t at) {
  const auto y = static_cast<std::uint32_t>(row.row);
  const std::uint32_t x = static_cast<std::uint32_t>(row.first_column) + at * row.step;
  if (y >= input.height || x >= input.width) return {};
  const Patch* patch = patch_at(input, y, x, row.channels.first);
  if (patch == nullptr || patch->box.channels.last < row.channels.last) return {};
  const std::uint32_t rest = row.columns - at, room = patch->box.columns.last - x;
  return {patch, row.step == 1 ? less(rest, room) : less(rest, (room + row.step - 1) / row.step)};
}

/// Calls take(pointer, bytes) for all elements of a row, column by column, in as few calls as they lie in; the pointer
/// is null for zeros.
template <typename Take>
void read_row(const Input& input, const RowElements& row, Take take) {
  const std::uint32_t channels = row.channels.size();
  for (std::uint32_t at = 0; at < row.columns;) {
    const PatchColumns found = patch_columns(input, row, at);
    const std::int32_t column = row.first_column + static_cast<std::int32_t>(at * row.step);
    if (found.columns == 0) {
      read_column(input, row.row, column, row.channels, take);
      ++at;
      continue;
    }
    const Patch& patch = *found.patch;
    const std::uint32_t stride = row.step * patch.box.channels.size();
    std::uint32_t byte =
        byte_of(patch, static_cast<std::uint32_t>(row.row), static_cast<std::uint32_t>(column), row.channels.first);
    at += found.columns;
    if (stride == channels) {
      read_bytes(patch.chain, byte, found.columns * channels, take);
      continue;
    }
    if (patch.chain.left(byte) >= (found.columns - 1) * stride + channels) {
      const std::int8_t* pointer = patch.chain.at(byte);
      for (std::uint32_t i = 0; i < found.columns; ++i, pointer += stride)
        take(pointer, channels);
      continue;
    }
    for (std::uint32_t i = 0; i < found.columns; ++i, byte += stride)
      read_bytes(patch.chain, byte, channels, take);
  }
}

/// The first row or column that a window reads for an output; negative in the padding before the map.
constexpr std::int32_t window_start(std::uint32_t output, std::uint32_t stride, std::uint32_t pad) {
  return static_cast<std::int32_t>(output * stride) - static_cast<std::int32_t>(pad);
}

}  // namespace spillway::int8
