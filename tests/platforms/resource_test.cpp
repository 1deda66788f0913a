#include "platforms/resource.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::platforms {
namespace {

using testing::HasSubstr;

const std::vector<Device> boards = {{"edge01", "arm", {0, 1, 2, 3, 4, 5}, Gpu{"NVIDIAVolta", "CUDA"}},
                                    {"edge", "arm", {0, 1}, std::nullopt},
                                    {"edge_arm", "x86", {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, std::nullopt}};

std::string mistake_in(const std::string& key, const std::vector<Device>& devices = boards) {
  try {
    parse_resource(key, devices);
  } catch (const ResourceError& error) {
    return error.what();
  }
  return "no mistake";
}

TEST(Resource, BothFormsOfAKey) {
  EXPECT_EQ(parse_resource("edge01_arm123", boards), (Resource{0, false, {1, 2, 3}}));
  EXPECT_EQ(parse_resource("edge01_arm:3,1", boards), (Resource{0, false, {3, 1}}));
  EXPECT_EQ(parse_resource("edge01_gpu", boards), (Resource{0, true, {}}));
  EXPECT_EQ(parse_resource("edge_arm_x86:0,10", boards), (Resource{2, false, {0, 10}}));
  EXPECT_EQ(key_of({2, false, {0, 10}}, boards), "edge_arm_x86:0,10");
  EXPECT_EQ(key_of({0, true, {}}, boards), "edge01_gpu");
}

TEST(Resource, UnderscoresBelongToTheLongestNameThatFits) {
  EXPECT_EQ(parse_resource("edge_arm_x8601", boards), (Resource{2, false, {0, 1}}));
  EXPECT_EQ(parse_resource("edge_arm0", boards), (Resource{1, false, {0}}));
}

TEST(Resource, TwoReadingsAreAnAmbiguity) {
  const std::vector<Device> devices = {{"a", "b_c", {0, 1}, std::nullopt}, {"a_b", "c", {0, 1}, std::nullopt}};
  EXPECT_THAT(mistake_in("a_b_c1", devices),
              HasSubstr("may be a_b_c:1 or a_b_c:1; expected a key that fits one device"));
  EXPECT_EQ(parse_resource("a_b_c1", {devices[1]}), (Resource{0, false, {1}}));
}

TEST(Resource, EveryMistakeSaysWhatWasExpected) {
  EXPECT_EQ(mistake_in("edge01_arm6"), "core 6 is outside slots 0-5 of edge01");
  EXPECT_EQ(mistake_in("edge01_arm:6"), "core 6 is outside slots 0-5 of edge01");
  EXPECT_EQ(mistake_in("edge_arm_x8611"), "core 1 is given twice (a core above 9 is written \"edge_arm_x86:10\")");
  EXPECT_THAT(mistake_in("edge_gpu"), HasSubstr("edge has no GPU; expected \"edge_arm:0\""));
  EXPECT_THAT(mistake_in("edge01_x860"),
              HasSubstr("\"edge01_x860\" is no resource of edge01; expected \"edge01_arm:0\" "
                        "or \"edge01_gpu\""));
  EXPECT_THAT(mistake_in("edge01_arm"), HasSubstr("is no resource of edge01"));
  EXPECT_THAT(mistake_in("edge01_arm:1,"), HasSubstr("is no resource of edge01"));
  EXPECT_THAT(mistake_in("edge01_arm:99999999999"), HasSubstr("is no resource of edge01"));
  EXPECT_THAT(mistake_in("edge02_arm1"),
              HasSubstr("unknown device \"edge02\"; did you mean \"edge01\"? expected one of"));
  EXPECT_THAT(mistake_in(""), HasSubstr("unknown device"));
}

}  // namespace
}  // namespace spillway::platforms
