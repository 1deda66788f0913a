#pragma once

#include <cstdint>
#include <span>

#include "hw/swap/card_map.hpp"
#include "hw/swap/extents.hpp"
#include "sim/core/plan.hpp"
#include "sim/core/task.hpp"

namespace spillway::execution {

/// Sectors that a driver moves between card and memory.
struct Transfer {
  std::uint32_t sector = 0, sectors = 0;
  std::int8_t* memory = nullptr;
};

/// The packed tile of a task in memory: byte b is buffers[b / buffer_bytes][b % buffer_bytes].
struct TileMemory {
  std::span<std::int8_t* const> buffers;
  std::uint32_t buffer_bytes = 0;  ///< a multiple of 512
};

/// One IO task as transfers, one after the other: whoever owns the card asks for the next one, carries it out, and asks
/// again. Sectors that hold more than what is wanted go through a landing area; the bytes are copied when the next
/// transfer is asked for. Others go straight to their place.
///
/// One IO task is carried out at a time and a tile's parts in their order: the last sector of a part may leave surplus
/// bytes where a later part will lie.
class Movement {
 public:
  Movement() = default;

  /// `landing`: at least one sector; the longer, the fewer transfers.
  explicit Movement(std::span<std::int8_t> landing) : landing_(landing) {}

  /// Begins a task. The arguments' tables and buffers must stay until next() has returned false.
  void begin(const core::Plan& plan, const CardMap& map, const core::Task& task, const TileMemory& tile);

  /// The next transfer, once the one before is complete; false: the task is done.
  bool next(Transfer& transfer);

  /// Whether transfers go to the card.
  bool writes() const { return writes_; }

 private:
  void begin_extent();
  bool straight(Transfer& transfer);
  void land(std::uint32_t bytes);
  std::int8_t* at(std::uint32_t packed) const {
    return tile_.buffers[packed / tile_.buffer_bytes] + packed % tile_.buffer_bytes;
  }

  std::span<std::int8_t> landing_;
  TileMemory tile_;
  ExtentWalk walk_;
  bool writes_ = false;
  std::uint32_t packed_end_ = 0;
  Extent extent_{};
  std::uint32_t moved_ = 0;                          ///< sectors of the extent that are moved or on their way
  std::uint32_t straight_sectors_ = 0;               ///< of the extent's first sectors, those that go straight
  std::uint32_t landed_ = 0;                         ///< sectors in the landing area that wait to be copied
  std::uint32_t row_ = 0, column_ = 0, copied_ = 0;  ///< the next byte to copy: run, and bytes of the run that are done
};

}  // namespace spillway::execution
