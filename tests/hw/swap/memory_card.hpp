#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "random_case.hpp"

#include "hw/swap/image/card_image.hpp"
#include "hw/swap/movement.hpp"
#include "hw/swap/tile_job.hpp"

namespace spillway::execution {

/// A card in memory, full of noise at first.
class MemoryCard {
 public:
  MemoryCard(std::uint32_t sectors, tiling::Random& random);

  void carry_out(const Transfer& transfer, bool to_card);

  WriteSectors writer();
  ReadSectors reader();

  std::vector<std::uint8_t>& bytes() { return bytes_; }
  std::uint64_t sectors_read = 0, sectors_written = 0;  ///< by transfers

 private:
  std::span<std::uint8_t> at(std::uint64_t sector, std::size_t bytes);

  std::vector<std::uint8_t> bytes_;
};

/// The buffers of a plan, full of noise at first, with guard bytes behind each pool.
class Sram {
 public:
  Sram(const core::Plan& plan, tiling::Random& random);

  const Pools& pools() const { return pools_; }

  /// Whether nobody wrote behind a pool.
  bool intact() const;

 private:
  std::vector<std::int8_t> memory_[3];
  Pools pools_;
};

/// Runs a plan to its end: tasks overlap and finish in random order, one IO task and one compute task at a time.
/// `landing_sectors`: of the landing area. Throws std::logic_error where the run stalls or moves other bytes than it is
/// charged.
void run_in_memory(const core::Plan& plan, const CardImage& image, const QuantizedNetwork& network, MemoryCard& card,
                   std::uint32_t landing_sectors, tiling::Random& random);

}  // namespace spillway::execution
