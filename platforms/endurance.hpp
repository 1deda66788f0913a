#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "platforms/figure.hpp"

namespace spillway::platforms {

/// What had failed when every card of a test had been written so often.
struct CardFailures {
  double written = 0;            ///< bytes written to each card
  std::size_t failed_cards = 0;  ///< so far
};

/// Cards of one size, written until they failed.
struct EnduranceTest {
  std::string source;
  std::size_t cards = 0;
  double capacity = 0;                 ///< bytes of each card
  std::vector<CardFailures> failures;  ///< at least one, both members ascending
};

/// What one kind of card endures: either `cycles`, or `written` for a `capacity`.
struct CardEndurance {
  std::string name;
  std::optional<Figure> cycles;   ///< program/erase cycles of a cell to the first error
  std::optional<Figure> written;  ///< bytes that a card of `capacity` bytes may be written with
  double capacity = 0;            ///< bytes; 0: not stated
};

struct EnduranceTable {
  EnduranceTest test;
  std::vector<CardEndurance> cards;
};

/// Reads platforms/endurance.yaml. Throws InputError with every problem of the file: YAML, keys, units, a figure
/// without a source, failures that do not ascend or exceed the cards, a card with both or neither of its two figures,
/// a name that is given twice.
EnduranceTable load_endurance();

/// The same from text; `file` stands for the file in errors.
EnduranceTable parse_endurance(std::string_view yaml, const std::string& file);

}  // namespace spillway::platforms
