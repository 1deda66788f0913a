#include "platforms/mapping.hpp"

#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "platforms/problems.hpp"

namespace spillway::platforms {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::vector<Device> boards = {{"edge01", "arm", {0, 1, 2, 3, 4, 5}, Gpu{"NVIDIAVolta", "CUDA"}},
                                    {"edge04", "arm", {0, 1}, std::nullopt}};

std::vector<std::string> problems_of(const std::string& text) {
  std::vector<std::string> lines;
  try {
    parse_mapping(text, "m.json", boards);
  } catch (const InputError& error) {
    for (const Problem& problem : error.problems())
      lines.push_back(to_string(problem));
  }
  return lines;
}

TEST(Mapping, KeysInTheirOrderAreTheRanks) {
  const Mapping mapping = parse_mapping(
      "{\n"
      "  \"edge04_arm0\": [\"Conv1\", \"Relu\\u0031\"],\n"
      "  \"edge01_gpu\":  [\"FC1\"],\n"
      "  \"edge01_arm123\": [\"MaxPool1\",\n"
      "                    \"Add1\"]\n"
      "}\n",
      "m.json", boards);
  ASSERT_EQ(mapping.ranks.size(), 3u);
  EXPECT_EQ(mapping.ranks[0].key, "edge04_arm0");
  EXPECT_EQ(mapping.ranks[0].layers[1].name, "Relu1");
  EXPECT_EQ(mapping.ranks[0].resource, (Resource{1, false, {0}}));
  EXPECT_TRUE(mapping.ranks[1].resource.gpu);
  EXPECT_EQ(mapping.ranks[2].position.line, 4u);
  EXPECT_EQ(mapping.ranks[2].position.column, 3u);
  EXPECT_EQ(mapping.ranks[2].layers[1].position.line, 5u);
  EXPECT_EQ(mapping.ranks[2].layers[1].position.column, 21u);
}

TEST(Mapping, EveryProblemOfTheKeysAtOnce) {
  EXPECT_THAT(problems_of("{\n"
                          "\"edge01_arm01\": [\"a\", \"b\", \"a\"],\n"
                          "\"edge01_arm12\": [\"c\"],\n"
                          "\"edge01_arm6\": [\"d\"],\n"
                          "\"edge02_arm1\": [\"e\"],\n"
                          "\"edge04_arm0\": [],\n"
                          "\"edge04_arm0\": [\"f\"],\n"
                          "\"edge01_gpu\": [\"g\"]}"),
              ElementsAre("m.json:2:28: edge01_arm01: layer \"a\" is given twice, first in line 2",
                          HasSubstr("m.json:3:1: edge01_arm12: core 1 of edge01 belongs to \"edge01_arm01\" already"),
                          "m.json:4:1: edge01_arm6: core 6 is outside slots 0-5 of edge01",
                          HasSubstr("m.json:5:1: edge02_arm1: unknown device \"edge02\""),
                          "m.json:6:1: edge04_arm0: has no layers; expected at least one",
                          HasSubstr("m.json:7:1: edge04_arm0: the key is given twice, first in line 6")));
}

TEST(Mapping, OversubscribedCores) {
  const std::string text = "{\"edge01_arm01\": [\"a\"], \"edge01_arm:1\": [\"b\"]}";
  EXPECT_THAT(problems_of(text), ElementsAre(HasSubstr("m.json:1:25: edge01_arm:1: core 1 of edge01 belongs to")));
  EXPECT_EQ(parse_mapping(text, "m.json", boards, {.oversubscribe = true}).ranks.size(), 2u);
}

TEST(Mapping, OtherFilesAreRefusedWhereTheyDiffer) {
  EXPECT_THAT(problems_of("edge01_arm0: [a]\n"), ElementsAre(HasSubstr("m.json:1:1: is no JSON: syntax error")));
  EXPECT_THAT(problems_of("{\n  \"edge01_arm0\": [\"a\",]\n}"), ElementsAre(HasSubstr("m.json:2:23: is no JSON")));
  EXPECT_THAT(problems_of("{\"edge01_arm0\": [\"a\"]"), ElementsAre(HasSubstr("is no JSON")));
  EXPECT_THAT(problems_of(""), ElementsAre(HasSubstr("is no JSON")));
  EXPECT_THAT(problems_of("{}"), ElementsAre(HasSubstr("m.json: maps nothing; expected {\"KEY\"")));
  EXPECT_THAT(problems_of("[\"edge01_arm0\"]"), ElementsAre(HasSubstr("m.json:1:1: found a list; expected")));
  EXPECT_THAT(problems_of("{\"edge01_arm0\": \"a\", \"edge01_arm1\": [1, {\"x\": [2]}], \"edge01_arm2\": {\"y\": 1}}"),
              ElementsAre(HasSubstr("m.json:1:17: edge01_arm0: found a text"),
                          HasSubstr("m.json:1:38: edge01_arm1: found a number"),
                          HasSubstr("m.json:1:69: edge01_arm2: found an object")));
  EXPECT_THAT(problems_of(std::string("{\"a\0b\": []}", 11)), ElementsAre(HasSubstr("is no JSON")));
}

}  // namespace
}  // namespace spillway::platforms
