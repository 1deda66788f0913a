#include <array>
#include <string_view>

#include "random_case.hpp"
#include <gtest/gtest.h>

#include "hw/swap/card_header.hpp"
#include "models/zoo.hpp"

namespace spillway::execution {
namespace {

std::array<std::uint8_t, header_bytes> sector_of(const CardIdentity& identity) {
  std::array<std::uint8_t, header_bytes> sector{};
  write_header(identity, sector);
  return sector;
}

TEST(CardHeader, NamesWhatIsWrong) {
  const CardIdentity identity{0x123456789ABCDEF0, 0xCAFE, 1000};
  EXPECT_EQ(check_header(sector_of(identity), identity), CardFault::none);
  EXPECT_EQ(check_header(std::array<std::uint8_t, header_bytes>{}, identity), CardFault::no_header);
  EXPECT_EQ(check_header(sector_of({1, identity.weights_crc, 1000}), identity), CardFault::other_plan);
  EXPECT_EQ(check_header(sector_of({identity.plan, 1, 1000}), identity), CardFault::other_weights);
  EXPECT_EQ(check_header(sector_of({identity.plan, identity.weights_crc, 999}), identity), CardFault::too_short);
  EXPECT_EQ(check_header(sector_of({identity.plan, identity.weights_crc, 1001}), identity), CardFault::none);
}

TEST(CardHeader, NoBitMayChange) {
  const CardIdentity identity{0x123456789ABCDEF0, 0xCAFE, 1000};
  constexpr std::size_t used = 8 + 4 + 8 + 4 + 4 + 4;
  for (std::size_t bit = 0; bit < 8 * used; ++bit) {
    auto sector = sector_of(identity);
    sector[bit / 8] ^= static_cast<std::uint8_t>(1U << (bit % 8));
    EXPECT_NE(check_header(sector, identity), CardFault::none) << bit;
  }
}

TEST(CardHeader, CrcIsThatOfEthernet) {
  constexpr std::string_view digits = "123456789";
  const auto* bytes = reinterpret_cast<const std::uint8_t*>(digits.data());
  EXPECT_EQ(crc32({bytes, digits.size()}), 0xCBF43926U);
  EXPECT_EQ(crc32({bytes + 4, 5}, crc32({bytes, 4})), 0xCBF43926U);
}

TEST(CardHeader, PlansThatDifferHaveDifferentHashes) {
  tiling::Request request;
  request.sram_bytes = 32 << 10;
  request.buffer_bytes = 2 << 10;
  request.rule = tiling::Rule::halo;
  const auto hash = [&request] {
    const tiling::SwapPlan plan = tiling::make_plan(*models::zoo("tiny-residual"), request);
    return hash_of(plan.view());
  };
  const std::uint64_t first = hash();
  EXPECT_EQ(hash(), first);
  request.buffer_bytes = 1 << 10;
  EXPECT_NE(hash(), first);
  request.buffer_bytes = 2 << 10;
  request.frames = 2;
  EXPECT_NE(hash(), first);
  request.frames = 1;
  request.rule = tiling::Rule::min_traffic;
  EXPECT_NE(hash(), first);
}

}  // namespace
}  // namespace spillway::execution
