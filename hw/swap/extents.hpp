#pragma once

#include <cstdint>

#include "hw/swap/card_map.hpp"
#include "sim/core/geometry.hpp"
#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

namespace spillway::execution {

/// One run of sectors on the card, and which of its bytes are wanted (reading) or given (writing): `rows` x `columns`
/// runs of `run` bytes. Rows and columns are apart by steps, on the card and in the packed tile.
///
/// A packed tile is its parts one after the other without gaps, each by row, column, channel.
struct Extent {
  std::uint32_t sector = 0, sectors = 0;
  std::uint32_t skip = 0;  ///< bytes from the first sector's beginning to the first run
  std::uint32_t rows = 0, columns = 0, run = 0;
  std::uint32_t row_step = 0, column_step = 0;  ///< bytes on the card
  std::uint32_t packed = 0;                     ///< where the first run lies in the packed tile, bytes
  std::uint32_t packed_row_step = 0, packed_column_step = 0;

  bool one_run() const { return rows == 1 && columns == 1; }
};

/// The extents that a task moves between card and SRAM, as sim/core/layout.hpp charges them: their sectors add up to
/// core::bytes_of. Extents of one task may share sectors; such a sector is moved more than once.
class ExtentWalk {
 public:
  /// Begins with a task's first extent; a compute task has none. What the arguments point to must outlive the walk.
  ExtentWalk(const core::Plan& plan, const CardMap& map, const core::Task& task);
  ExtentWalk() = default;

  /// Steps to the next extent; false after the last one.
  bool next(Extent& extent);

  /// Bytes of the packed tile from its beginning to the end of what the task moves.
  std::uint32_t packed_end() const { return packed_end_; }

 private:
  /// Extents of one shape, `rows` x `columns` of them, each widened to sectors.
  struct Grid {
    std::uint32_t rows = 0, columns = 0;
    std::uint64_t begin = 0;   ///< of the first one, bytes from the card's beginning
    std::uint64_t length = 0;  ///< bytes of one
    std::uint32_t row_step = 0, column_step = 0;
    std::uint32_t packed_row_step = 0, packed_column_step = 0;
    Extent wanted;  ///< of the first one; `skip` counts from `begin`
  };

  /// What is left to walk behind the present grid.
  enum class Over : std::uint8_t { nothing, tiles, planes, tile_vector, plane_vector };

  /// How a map's rows and elements stand, of a stored tile or of a block of channels.
  struct Stored {
    std::uint64_t begin = 0;  ///< bytes from the card's beginning
    core::Region box;         ///< of the map
    std::uint32_t row = 0;    ///< bytes from row to row
  };

  void begin_input(const core::Plan& plan, const CardMap& map, const core::Task& task);
  void begin_weights(const CardMap& map, const core::Layer& layer, const core::Task& task);
  void begin_output(const core::Plan& plan, const CardMap& map, const core::Task& task);
  bool next_grid();
  bool next_tile();
  bool next_plane();
  bool next_of_tile_vector();
  bool next_of_plane_vector();
  void set_run(std::uint64_t begin, std::uint64_t length, std::uint32_t skip, std::uint32_t run, std::uint32_t packed);
  void set_grid(const Stored& stored, const core::Region& box, bool by_rows, bool by_elements);

  core::Layer stored_{};  ///< how the map is stored: its producer, or the network's input
  std::uint64_t begin_ = 0;
  core::Region need_{};  ///< channels, rows and columns of the map; of a vector elements, as channels
  std::uint32_t packed_begin_ = 0, packed_end_ = 0;
  std::uint32_t at_[3] = {0, 0, 0};  ///< tile (group, row, column); block and row
  std::uint64_t element_ = 0;        ///< of a vector: elements before at_
  std::uint64_t sector_ = 0;         ///< sectors before at_
  Over over_ = Over::nothing;
  bool by_rows_ = false;  ///< whether a grid's rows may be extents of their own
  Grid grid_{};
  std::uint32_t grid_row_ = 0, grid_column_ = 0;
};

}  // namespace spillway::execution
