#pragma once

#include <string>

#include "platforms/board.hpp"

namespace spillway::platforms {

/// An SD card as its host sees it: an operation takes overhead + bytes / bandwidth, read and write apart.
struct Card {
  std::string name;         ///< file name without .yaml
  std::string description;
  Figure read_overhead;     ///< s for each read operation
  Figure read_bandwidth;    ///< bytes/s
  Figure write_overhead;    ///< s for each write operation
  Figure write_bandwidth;   ///< bytes/s
  bool full_buffers = false;  ///< every operation is charged as a whole buffer (the second reading of the SwapNN times)
  Figure power;             ///< W while an operation is in flight, above the board's own
  Figure capacity;          ///< bytes
  Figure endurance;         ///< program/erase cycles of a cell
  Figure erase_block;       ///< bytes
  Figure write_amplification;  ///< bytes programmed for each byte written, at least 1
};

}  // namespace spillway::platforms
