#include "platforms/endurance.hpp"

#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "platforms/catalogue.hpp"
#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

std::string shipped() {
  std::ifstream stream(data_directory() / "platforms/endurance.yaml");
  return {std::istreambuf_iterator<char>(stream), {}};
}

std::string error_of(const std::string& yaml) {
  try {
    parse_endurance(yaml, "f.yaml");
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

std::string changed(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return text.replace(at, from.size(), to);
}

TEST(Endurance, ShippedTable) {
  const EnduranceTable table = load_endurance();
  EXPECT_EQ(table.test.cards, 40U);
  EXPECT_EQ(table.test.capacity, 4e9);
  ASSERT_EQ(table.test.failures.size(), 3U);
  EXPECT_EQ(table.test.failures.front().written, 6.5e12);
  EXPECT_EQ(table.test.failures.back().written, 12.5e12);
  EXPECT_EQ(table.test.failures.back().failed_cards, 40U);
  ASSERT_EQ(table.cards.size(), 5U);
  EXPECT_EQ(table.cards.front().cycles->value, 10'000);
  EXPECT_EQ(table.cards.back().written->value, 120e12);
  EXPECT_EQ(table.cards.back().capacity, 128e9);
  for (const CardEndurance& card : table.cards) {
    EXPECT_NE(card.cycles.has_value(), card.written.has_value()) << card.name;
    EXPECT_GT((card.cycles ? card.cycles : card.written)->source.size(), 10U) << card.name;
  }
}

TEST(Endurance, EveryMistakeAtItsPlace) {
  const std::string good = shipped();
  EXPECT_EQ(error_of(changed(good, "failed_cards: 40", "failed_cards: 41")),
            "f.yaml:9:40: test.failures[2].failed_cards: 41 cards of 40 cannot fail");
  EXPECT_EQ(
      error_of(changed(good, "written: 9 TB, failed_cards: 20", "written: 6 TB, failed_cards: 1")),
      "f.yaml:8:17: test.failures[1].written: is not more than in the entry before it; expected ascending amounts\n"
      "f.yaml:8:37: test.failures[1].failed_cards: is not more than in the entry before it: cards stay failed");
  EXPECT_EQ(error_of(changed(good, "name: Kingston", "name: SanDisk")),
            "f.yaml:16:11: cards[2].name: \"SanDisk\" is given twice");
  EXPECT_EQ(error_of(changed(good, "    capacity: 128 GB\n", "")),
            "f.yaml:21:14: cards[4].written: needs the capacity of the card that it is for");
  EXPECT_EQ(error_of(good + "  - name: unknown\n"),
            "f.yaml:23:5: cards[5].cycles: expected exactly one of cycles (of a cell) and written (bytes, for a "
            "capacity)");
}

}  // namespace
}  // namespace spillway::platforms
