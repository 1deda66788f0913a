#include <algorithm>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::cli_test {
namespace {

using ::testing::AllOf;
using ::testing::Contains;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

TEST(Inspect, CountsComputeBoundAndIoBoundLayersAsThePaperDefinesThem) {
  // SwapNN, Table 2: VGG-16 13 / 2 of its 15 listed layers (it has 16), AlexNet 5 / 3, MobileNet 14 / 13 without the
  // dense layer, which is the 14th that is bound by IO.
  const std::vector<std::pair<std::string, std::string>> published = {
      {"vgg16", "13 / 3"}, {"alexnet", "5 / 3"}, {"mobilenet", "14 / 14"}};
  for (const auto& [network, count] : published) {
    const Call call = spillway({"inspect", network});
    EXPECT_EQ(call.exit_code, 0) << call.err;
    EXPECT_THAT(call.out, HasSubstr("compute-bound / IO-bound: " + count + " of the layers with weights")) << network;
  }
}

TEST(Inspect, ShowsTilesAndTasksWhenABufferIsGiven) {
  const Call call = spillway("inspect vgg16 --buffer 16KiB");
  EXPECT_EQ(call.exit_code, 0);
  EXPECT_THAT(call.err, IsEmpty());
  EXPECT_THAT(call.out, HasSubstr("rule paper, 32 buffers of 16 KiB: 85,871 IO tasks"));
  EXPECT_THAT(lines(call.out).front(), AllOf(HasSubstr("tiles"), HasSubstr("IO tasks")));
  EXPECT_THAT(lines(spillway("inspect vgg16").out).front(), ::testing::Not(HasSubstr("tiles")));
}

TEST(Inspect, CsvHoldsTheLayersWithUnitsInTheNames) {
  const Folder folder;
  const Call call = spillway({"inspect", "mobilenet", "--buffer", "16 KiB", "--csv", folder / "layers.csv"});
  ASSERT_EQ(call.exit_code, 0) << call.err;
  const std::vector<std::string> rows = lines(contents(folder / "layers.csv"));
  ASSERT_EQ(rows.size(), 1 + 29U);
  EXPECT_THAT(rows.front(), AllOf(StartsWith("layer,operator,"), HasSubstr(",weight_bytes,"), HasSubstr(",io_tasks,")));
  const auto columns = std::ranges::count(rows.front(), ',');
  for (const std::string& row : rows)
    EXPECT_EQ(std::ranges::count(row, ','), columns) << row;
  EXPECT_THAT(rows, Contains(StartsWith("dw1,depthwise,32,112,112,32,112,112,3612672,288,401408,")));
}

TEST(Inspect, ShowsLayersForWhichARuleMakesNoTasks) {
  const Call call = spillway("inspect vgg16 --buffer 16KiB --rule paper-counts");
  EXPECT_EQ(call.exit_code, 0) << call.err;
  EXPECT_THAT(lines(call.out), Contains(AllOf(StartsWith("pool1 "), HasSubstr(" max_pool "), HasSubstr(" - "))));
}

}  // namespace
}  // namespace spillway::cli_test
