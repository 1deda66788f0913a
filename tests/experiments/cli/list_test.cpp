#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::cli_test {
namespace {

using ::testing::Contains;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;
using ::testing::StartsWith;

TEST(List, ShowsEveryKind) {
  const std::vector<std::pair<std::string, std::string>> rows = {
      {"models", "vgg16 "},         {"boards", "stm32f746g-disco "}, {"boards", "jetson-xavier-nx "},
      {"cards", "swapnn-paper "},   {"clusters", "disco8"},          {"experiments", "fig6 "},
      {"operators", "convolution "}};
  for (const auto& [kind, row] : rows) {
    const Call call = spillway({"list", kind});
    EXPECT_EQ(call.exit_code, 0) << call.command << call.err;
    EXPECT_THAT(call.err, IsEmpty());
    EXPECT_THAT(lines(call.out), Contains(StartsWith(row))) << call.command;
    EXPECT_THAT(lines(call.out), Each(Not(::testing::EndsWith(" "))));
  }
}

TEST(List, ShowsMacsAndWeightsOfNetworks) {
  EXPECT_THAT(
      lines(spillway("list models").out),
      Contains(::testing::AllOf(StartsWith("vgg16 "), HasSubstr(" 15,470,264,320 "), HasSubstr(" 138,344,128 "))));
}

}  // namespace
}  // namespace spillway::cli_test
