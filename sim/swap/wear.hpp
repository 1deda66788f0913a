#pragma once

#include <cstdint>

#include "platforms/card.hpp"
#include "platforms/endurance.hpp"
#include "sim/swap/result.hpp"

namespace spillway::swap {

/// What a run writes to the card. A day is 86,400 s of frames one after the other (SwapNN, durability section):
/// written bytes / makespan x 86,400.
struct Writes {
  double frame_bytes = 0;
  double day_bytes = 0;
};

/// Throws std::invalid_argument for a run that stalled or took no time: it says nothing about a day.
Writes writes_of(const Result& result);

/// How many bytes of cells the card programs for what it is told to write.
enum class Programming : std::uint8_t {
  /// The card's write_amplification for every byte written. The paper's 1 holds where the card gathers writes.
  amplified,
  /// Worst case: the card gathers nothing, and each operation programs the whole erase blocks that it begins in. Cheap
  /// cards do so where writes are smaller than an erase block and do not follow each other (A. Bergmann, "Optimizing
  /// Linux with cheap flash drives", LWN 2011). Never less than `amplified`.
  whole_erase_blocks,
};

/// Bytes programmed for each byte written; 1 for a run that writes nothing. An operation of the run is taken to begin
/// at an erase block and to need the blocks of a whole buffer of `buffer_bytes`.
double programmed_per_byte(const Result& result, const platforms::Card& card, Programming programming,
                           std::uint64_t buffer_bytes);

/// Which units the lifetimes are calculated with.
enum class Units : std::uint8_t {
  /// SwapNN's, which mix decimal and binary ones: a TB of the endurance test is 1,024 GB, and half of the cells of
  /// C GB with N cycles are C x 1024 x N / 2 / 10^6 TB of 1,024 GB.
  published,
  decimal,  ///< 1 TB is 1,000 GB
};

/// Years of 365 days; infinite where nothing is written.
struct Lifetime {
  double first_cell_low_years = 0;   ///< by the first card that failed in the endurance test
  double first_cell_high_years = 0;  ///< by the last one
  double half_cells_years = 0;       ///< cells fail one after the other: half of all cycles are used up
};

/// Lifetime of a card whose cells are programmed with `day_bytes` a day, written evenly (SwapNN, durability section).
/// First cell: bytes written at the failure x (card's capacity / test's capacity) / bytes of a year.
/// Half of the cells: capacity x endurance / 2 / bytes of a year.
Lifetime lifetime_of(double day_bytes, const platforms::Card& card, const platforms::EnduranceTest& test,
                     Units units = Units::published);

/// Years until a card as large as `card`, of a kind with known endurance, reaches it: cycles x capacity, or the bytes
/// that it may be written with scaled by the capacity, / bytes of a year. Decimal units.
double years_of(double day_bytes, const platforms::Card& card, const platforms::CardEndurance& endurance);

}  // namespace spillway::swap
