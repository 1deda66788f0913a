#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/figure.hpp"

namespace spillway::platforms {

/// One measured point: operations of one size, one after the other.
struct MeasuredOperation {
  std::uint64_t size = 0;  ///< bytes of an operation
  double rate = 0;         ///< bytes/s
  bool fitted = true;      ///< used for the card's overhead and bandwidth; false: an outlier that the source explains
};

/// Measurements that a card's figures rest on.
struct MeasuredTransfers {
  std::string source;  ///< empty: nothing was measured
  std::vector<MeasuredOperation> reads;
  std::vector<MeasuredOperation> writes;
};

/// An SD card as its host sees it: an operation takes overhead + bytes / bandwidth, read and write apart.
struct Card {
  std::string name;  ///< file name without .yaml
  std::string description;
  Figure read_overhead;       ///< s for each read operation
  Figure read_bandwidth;      ///< bytes/s
  Figure write_overhead;      ///< s for each write operation
  Figure write_bandwidth;     ///< bytes/s
  bool full_buffers = false;  ///< every operation is charged as a whole buffer (the second reading of the SwapNN times)
  Figure power;               ///< W while an operation is in flight, above the board's own
  Figure capacity;            ///< bytes
  Figure endurance;           ///< program/erase cycles of a cell
  Figure erase_block;         ///< bytes
  Figure write_amplification;  ///< bytes programmed for each byte written, at least 1
  MeasuredTransfers measured;
};

/// Reads a card by the name of a file in platforms/cards, or by a path.
/// Throws InputError with every problem of the file: YAML, keys, units, a figure without a source, figures out of
/// range, an erase block larger than the card.
Card load_card(std::string_view name_or_path);

/// The same from text; `file` stands for the file in errors and gives the card its name.
Card parse_card(std::string_view yaml, const std::string& file);

/// A card as YAML; parse_card reads it back to the same figures.
std::string to_yaml(const Card& card);

/// The names that load_card knows, sorted.
std::vector<std::string> card_names();

}  // namespace spillway::platforms
