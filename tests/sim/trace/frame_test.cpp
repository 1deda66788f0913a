#include "sim/trace/frame.hpp"

#include <algorithm>
#include <array>
#include <random>
#include <string_view>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::trace {
namespace {

using testing::ElementsAre;

using Bytes = std::vector<std::uint8_t>;

Bytes framed(const Bytes& payload) {
  Bytes frame(frame_bytes(max_payload_bytes));
  frame.resize(encode_frame(payload, frame));
  return frame;
}

std::optional<Bytes> unframed(std::span<const std::uint8_t> stuffed) {
  Bytes payload(max_payload_bytes);
  const auto size = decode_frame(stuffed, payload);
  if (!size) return std::nullopt;
  payload.resize(*size);
  return payload;
}

Bytes random_payload(std::mt19937& random) {
  Bytes payload(random() % (max_payload_bytes + 1));
  const std::uint32_t zeros = random() % 4;  // none to many
  std::generate(payload.begin(), payload.end(),
                [&] { return random() % 4 < zeros ? std::uint8_t{0} : static_cast<std::uint8_t>(random()); });
  return payload;
}

TEST(Frame, ChecksumIsTheCataloguesOne) {
  // CRC-16/CCITT-FALSE (CRC-16/IBM-3740) in the catalogue of parametrised CRC algorithms.
  const std::string_view text = "123456789";
  EXPECT_EQ(crc16({reinterpret_cast<const std::uint8_t*>(text.data()), text.size()}), 0x29B1);
  EXPECT_EQ(crc16({}), 0xFFFF);
}

TEST(Frame, HasTheBytesThatTheDocumentSays) {
  EXPECT_THAT(framed({}), ElementsAre(3, 0xFF, 0xFF, 0));
  EXPECT_THAT(framed({0x11, 0x00, 0x22}), ElementsAre(2, 0x11, 4, 0x22, 0xEF, 0xBC, 0));
}

TEST(Frame, WorksInConstantExpressions) {
  static constexpr auto size = [] {
    std::array<std::uint8_t, 2> payload{0, 7}, read{};
    std::array<std::uint8_t, 16> frame{};
    const std::size_t written = encode_frame(payload, frame);
    return decode_frame(std::span(frame).first(written - 1), read).value_or(0);
  }();
  static_assert(size == 2);
}

TEST(Frame, GivesBackEveryPayload) {
  std::mt19937 random(1);
  for (int round = 0; round < 20000; ++round) {
    const Bytes payload = random_payload(random);
    const Bytes frame = framed(payload);
    ASSERT_EQ(frame.size(), frame_bytes(payload.size()));
    ASSERT_EQ(std::count(frame.begin(), frame.end(), 0), 1) << "only the end may be zero";
    ASSERT_EQ(frame.back(), 0);
    ASSERT_EQ(unframed(std::span(frame).first(frame.size() - 1)), payload);
  }
}

TEST(Frame, RefusesEveryFrameWithOneWrongBit) {
  std::mt19937 random(2);
  for (int round = 0; round < 20000; ++round) {
    Bytes frame = framed(random_payload(random));
    frame.pop_back();
    const std::size_t bit = random() % (frame.size() * 8);
    frame[bit / 8] = static_cast<std::uint8_t>(frame[bit / 8] ^ 1u << bit % 8);
    ASSERT_EQ(unframed(frame), std::nullopt);
  }
}

TEST(Frame, RefusesWhatIsTooLong) {
  Bytes frame(1000);
  EXPECT_EQ(encode_frame(Bytes(max_payload_bytes + 1), frame), 0u);
  EXPECT_EQ(encode_frame(Bytes(10), std::span(frame).first(13)), 0u);
  EXPECT_EQ(encode_frame(Bytes(10), std::span(frame).first(14)), 14u);
  EXPECT_EQ(unframed(Bytes(frame_bytes(max_payload_bytes), 1)), std::nullopt);
  EXPECT_EQ(unframed({}), std::nullopt);
  Bytes small(4);
  const Bytes whole = framed(Bytes(5, 9));
  EXPECT_EQ(decode_frame(std::span(whole).first(whole.size() - 1), small), std::nullopt);
}

}  // namespace
}  // namespace spillway::trace
