#pragma once

#include <cstdint>
#include <span>

#include "sim/core/plan.hpp"

namespace spillway::execution {

/// What a card must hold for a run: who made what for which plan.
struct CardIdentity {
  std::uint64_t plan = 0;         ///< hash_of() of the plan
  std::uint32_t weights_crc = 0;  ///< CRC-32 of all weight sectors, in their order
  std::uint32_t sectors = 0;      ///< of everything, CardMap::sectors

  friend constexpr bool operator==(const CardIdentity&, const CardIdentity&) = default;
};

/// What is wrong with a card's header.
enum class CardFault : std::uint8_t {
  none,
  no_header,      ///< no magic: another card, or an empty one
  other_version,  ///< another version of the layout
  damaged,        ///< the header's CRC does not hold
  other_plan,     ///< made for another network, buffer, rule, ...
  other_weights,  ///< the same plan with other weights
  too_short,      ///< made with fewer sectors
};

inline constexpr std::uint32_t header_bytes = 512;
inline constexpr std::uint32_t card_version = 1;

/// A number that changes with whatever decides where something lies on the card or what is executed: FNV-1a of 64 bits
/// over the plan's fields, each as 4 bytes, lowest first.
std::uint64_t hash_of(const core::Plan& plan);

/// CRC-32 (IEEE 802.3, reflected) of bytes that follow those of which `before` is the CRC; 0 begins.
std::uint32_t crc32(std::span<const std::uint8_t> bytes, std::uint32_t before = 0);

/// Writes the header's sector: "SPILLWAY", version, identity, CRC-32 of these; numbers lowest byte first, rest zero.
void write_header(const CardIdentity& identity, std::span<std::uint8_t, header_bytes> sector);

/// Compares a header's sector with what the run needs.
CardFault check_header(std::span<const std::uint8_t, header_bytes> sector, const CardIdentity& needed);

}  // namespace spillway::execution
