#include "hw/stm32/card_check.hpp"

#include <algorithm>
#include <span>

#include "hw/stm32/tile_buffers.hpp"

namespace spillway::stm32 {
namespace {

using execution::CardFault;

Transfer read(std::uint32_t sector, std::uint32_t sectors) {
  return {Direction::to_memory, sector, sectors, tile_buffers().data()};
}

std::span<const std::uint8_t> bytes_read(std::uint32_t sectors) {
  return {reinterpret_cast<const std::uint8_t*>(tile_buffers().data()), sectors * std::size_t{sector_bytes}};
}

std::uint32_t word_of_header(std::size_t at) {
  const std::span<const std::uint8_t> header = bytes_read(1);
  return header[at] | header[at + 1] << 8 | header[at + 2] << 16 | std::uint32_t{header[at + 3]} << 24;
}

Failure failure_of(CardFault fault, const Network& network) {
  constexpr std::size_t version = 8, plan = 12;  // card_header.hpp: behind the magic
  switch (fault) {
    case CardFault::none:
      return {};
    case CardFault::no_header:
      return {Error::no_image};
    case CardFault::other_version:
      return {Error::image_version, word_of_header(version)};
    case CardFault::damaged:
    case CardFault::other_weights:
      return {Error::image_damaged};
    case CardFault::other_plan:
      return {Error::other_plan, word_of_header(plan)};
    case CardFault::too_short:
      return {Error::image_truncated, network.map.sectors};
  }
  return {Error::image_damaged};
}

}  // namespace

Failure check_plan(const Network& network) {
  const std::uint64_t hash = execution::hash_of(network.plan);
  if (hash != network.identity.plan) return {Error::plan_damaged, static_cast<std::uint32_t>(hash)};
  return {};
}

Failure check_card(const Network& network, std::uint32_t card_sectors, CarryOut carry_out) {
  if (const Failure failure = carry_out(read(execution::header_sector, 1))) return failure;
  const CardFault fault = execution::check_header(bytes_read(1).first<execution::header_bytes>(), network.identity);
  if (const Failure failure = failure_of(fault, network)) return failure;
  if (card_sectors < network.map.sectors) return {Error::image_truncated, network.map.sectors};

  const auto most = static_cast<std::uint32_t>(tile_buffers().size() / sector_bytes);
  std::uint32_t crc = 0;
  for (std::uint32_t sector = execution::run_record_sector + 1; sector < network.map.inputs;) {
    const std::uint32_t sectors = std::min(most, network.map.inputs - sector);
    if (const Failure failure = carry_out(read(sector, sectors))) return failure;
    crc = execution::crc32(bytes_read(sectors), crc);
    sector += sectors;
  }
  if (crc != network.identity.weights_crc) return {Error::image_damaged, crc};
  return {};
}

}  // namespace spillway::stm32
