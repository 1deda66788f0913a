#include "hw/stm32/run_record.hpp"

#include <span>

#include "hw/swap/card_header.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t magic = 0x314E5552;  // "RUN1"

}  // namespace

std::uint32_t RunRecord::checksum() const {
  return execution::crc32(
      {reinterpret_cast<const std::uint8_t*>(sector_.data()), checksum_word * sizeof(std::uint32_t)});
}

void RunRecord::seal() {
  sector_[checksum_word] = checksum();
}

RunRecord::Before RunRecord::before(std::uint64_t plan_hash) const {
  if (sector_[magic_word] == 0) return Before::nothing;
  if (sector_[magic_word] != magic || sector_[checksum_word] != checksum()) return Before::damaged;
  const std::uint64_t plan = sector_[plan_word] | std::uint64_t{sector_[plan_word + 1]} << 32;
  if (plan != plan_hash || sector_[frames_word] >= sector_[total_word]) return Before::complete;
  return Before::interrupted;
}

void RunRecord::start_run(std::uint64_t plan_hash, std::uint32_t frames, std::uint32_t done, bool in_order) {
  first_ = done;
  in_order_ = in_order;
  sector_.fill(0);
  sector_[magic_word] = magic;
  sector_[plan_word] = static_cast<std::uint32_t>(plan_hash);
  sector_[plan_word + 1] = static_cast<std::uint32_t>(plan_hash >> 32);
  sector_[total_word] = frames;
  sector_[frames_word] = done;
  seal();
}

bool RunRecord::frames_are_done(std::uint32_t frames) {
  const std::uint32_t done = first_ + frames;
  if (done == sector_[frames_word]) return false;
  if (!in_order_ && done < sector_[total_word]) return false;
  sector_[frames_word] = done;
  seal();
  return true;
}

}  // namespace spillway::stm32
