#include "hw/stm32/card_test.hpp"

namespace spillway::stm32 {
namespace {

constexpr std::uint32_t pattern(std::uint32_t seed, std::uint32_t place) {
  std::uint32_t value = (seed << 24 ^ place) * 2246822519u;
  value ^= value >> 15;
  return value * 3266489917u;
}

}  // namespace

Failure write_read_verify(Card& card, std::uint32_t first_sector, std::span<std::uint32_t> memory, std::uint32_t seed,
                          Failure (*wait)()) {
  constexpr std::uint32_t sector_words = sector_bytes / 4;
  const auto sectors = static_cast<std::uint32_t>(memory.size()) / sector_words;
  for (std::uint32_t i = 0; i < memory.size(); ++i)
    memory[i] = pattern(seed, i);
  if (const Failure failure = card.start(Direction::to_card, first_sector, sectors, memory.data())) return failure;
  if (const Failure failure = wait()) return failure;
  for (std::uint32_t& word : memory)
    word = 0;
  if (const Failure failure = card.start(Direction::to_memory, first_sector, sectors, memory.data())) return failure;
  if (const Failure failure = wait()) return failure;
  for (std::uint32_t i = 0; i < memory.size(); ++i) {
    if (memory[i] != pattern(seed, i)) return {Error::verification, first_sector + i / sector_words};
  }
  return {};
}

}  // namespace spillway::stm32
