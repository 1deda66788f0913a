#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "hw/stm32/transfer.hpp"
#include "hw/swap/card_map.hpp"

namespace spillway::stm32 {

/// What the card remembers of a run: a sector that says which plan has been begun and how many of its frames are done.
/// A power cut leaves a run that is begun and not complete; the next start finds it and goes on with the first frame
/// that is not known to be done, whose maps may be half written.
class RunRecord {
 public:
  /// What the record that was read says of the run before.
  enum class Before : std::uint8_t {
    nothing,      ///< the card has just been made
    complete,     ///< it has ended, or was of another plan
    interrupted,  ///< it has not ended
    damaged,      ///< the record itself was being written
  };

  /// To be carried out before before() is asked and after start_run().
  Transfer transfer(Direction direction) { return {direction, execution::run_record_sector, 1, sector_.data()}; }

  Before before(std::uint64_t plan_hash) const;

  /// Frames that were done, of an interrupted run.
  std::uint32_t frames_done() const { return sector_[frames_word]; }

  /// A run of so many frames, of which the first `done` are there, begins; frames count in order only where one is in
  /// flight at a time (`in_order`), or else the run is done as a whole.
  void start_run(std::uint64_t plan_hash, std::uint32_t frames, std::uint32_t done, bool in_order);

  /// So many frames of this start are done. Whether the record has changed.
  bool frames_are_done(std::uint32_t frames);

 private:
  static constexpr std::size_t magic_word = 0, plan_word = 1, total_word = 3, frames_word = 4, checksum_word = 5;

  void seal();
  std::uint32_t checksum() const;

  alignas(32) std::array<std::uint32_t, sector_bytes / 4> sector_{};
  std::uint32_t first_ = 0;
  bool in_order_ = true;
};

}  // namespace spillway::stm32
