#include "hw/swap/movement.hpp"

#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

using core::sector_bytes;

constexpr std::uint32_t least(std::uint32_t a, std::uint32_t b) {
  return a < b ? a : b;
}

}  // namespace

void Movement::begin(const core::Plan& plan, const CardMap& map, const core::Task& task, const TileMemory& tile) {
  tile_ = tile;
  walk_ = ExtentWalk(plan, map, task);
  writes_ = task.kind == core::TaskKind::write_output;
  packed_end_ = walk_.packed_end();
  extent_ = {};
  moved_ = straight_sectors_ = landed_ = 0;
}

bool Movement::next(Transfer& transfer) {
  if (landed_ != 0) {
    land(landed_ * sector_bytes);
    landed_ = 0;
  }
  if (moved_ == extent_.sectors) {
    do {
      if (!walk_.next(extent_)) return false;
    } while (extent_.sectors == 0);
    begin_extent();
  }
  if (straight(transfer)) return true;
  const auto room = static_cast<std::uint32_t>(landing_.size() / sector_bytes);
  const std::uint32_t sectors = least(room, extent_.sectors - moved_);
  transfer = {extent_.sector + moved_, sectors, landing_.data()};
  moved_ += sectors;
  if (writes_) {
    __builtin_memset(landing_.data(), 0, sectors * sector_bytes);
    land(sectors * sector_bytes);
  } else {
    landed_ = sectors;
  }
  return true;
}

/// Decides how many of the extent's sectors go straight to or from the tile.
void Movement::begin_extent() {
  moved_ = row_ = column_ = copied_ = straight_sectors_ = 0;
  // At a multiple of a sector no sector lies across two buffers.
  if (!extent_.one_run() || extent_.skip != 0 || extent_.packed % sector_bytes != 0) return;
  straight_sectors_ = extent_.run / sector_bytes;
  const std::uint32_t rest = extent_.run % sector_bytes;
  const std::uint32_t end = extent_.packed + extent_.run;
  if (rest == 0 || end != packed_end_ || straight_sectors_ + 1 != extent_.sectors) return;
  ++straight_sectors_;
  // What lies behind the tile's end in its last buffer is nobody's: of a written sector it is cleared.
  if (writes_) __builtin_memset(at(end), 0, sector_bytes - rest);
}

/// A transfer between card and tile, up to the end of a buffer.
bool Movement::straight(Transfer& transfer) {
  if (moved_ >= straight_sectors_) return false;
  const std::uint32_t packed = extent_.packed + moved_ * sector_bytes;
  const std::uint32_t in_buffer = (tile_.buffer_bytes - packed % tile_.buffer_bytes) / sector_bytes;
  const std::uint32_t sectors = least(in_buffer, straight_sectors_ - moved_);
  transfer = {extent_.sector + moved_, sectors, at(packed)};
  moved_ += sectors;
  copied_ = least(extent_.run, moved_ * sector_bytes);
  return true;
}

/// Copies between the landing area, which stands for the extent's sectors up to moved_, and the tile.
void Movement::land(std::uint32_t bytes) {
  const std::uint32_t end = moved_ * sector_bytes, begin = end - bytes;
  while (row_ < extent_.rows) {
    const std::uint32_t first = extent_.skip + row_ * extent_.row_step + column_ * extent_.column_step + copied_;
    if (first >= end) return;
    std::uint32_t packed =
        extent_.packed + row_ * extent_.packed_row_step + column_ * extent_.packed_column_step + copied_;
    std::uint32_t left = least(extent_.run - copied_, end - first);
    copied_ += left;
    std::int8_t* landed = landing_.data() + (first - begin);
    while (left > 0) {
      const std::uint32_t length = least(left, tile_.buffer_bytes - packed % tile_.buffer_bytes);
      if (writes_) {
        __builtin_memcpy(landed, at(packed), length);
      } else {
        __builtin_memcpy(at(packed), landed, length);
      }
      landed += length;
      packed += length;
      left -= length;
    }
    if (copied_ < extent_.run) return;
    copied_ = 0;
    if (++column_ == extent_.columns) {
      column_ = 0;
      ++row_;
    }
  }
}

}  // namespace spillway::execution
