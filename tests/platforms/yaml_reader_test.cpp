#include "platforms/yaml_reader.hpp"

#include <functional>
#include <limits>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::platforms {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::StartsWith;

/// The lines of the error that reading `yaml` as file `f` gives.
std::vector<std::string> problems_of(
    std::string_view yaml, const std::function<void(Fields&)>& read = [](Fields&) {}) {
  try {
    const YamlDocument document = YamlDocument::from_text(yaml, "f");
    ProblemList problems(document);
    {
      Fields fields(document.root(), problems);
      read(fields);
    }
    problems.throw_if_any();
  } catch (const InputError& error) {
    std::vector<std::string> lines;
    for (const Problem& problem : error.problems())
      lines.push_back(to_string(problem));
    return lines;
  }
  return {};
}

TEST(YamlDocument, Syntax) {
  EXPECT_THAT(problems_of("a: 1\nb: [1, 2\n"),
              ElementsAre(StartsWith("f:2:1: is not valid YAML: end of sequence flow")));
  EXPECT_THAT(problems_of("a: 1\n b: 2\n"), ElementsAre(StartsWith("f:2:3: is not valid YAML: ")));
  EXPECT_THAT(problems_of("a: \"open\nb: 1\n"), ElementsAre("f:2:5: is not valid YAML: illegal EOF in scalar"));
  EXPECT_THAT(problems_of("a: 'open\n"), ElementsAre(StartsWith("f:1:9: is not valid YAML: ")));
  EXPECT_THAT(problems_of("a: 1\n} b\n"), ElementsAre(StartsWith("f:2:1: is not valid YAML: ")));
  EXPECT_THAT(problems_of("a: 1\nb: \x01\n"),
              ElementsAre("f:2:4: has the control character 0x01; expected UTF-8 text"));
}

TEST(YamlDocument, OneMapPerFile) {
  EXPECT_THAT(problems_of(""), ElementsAre("f: is empty; expected keys and values"));
  EXPECT_THAT(problems_of("# nothing\n"), ElementsAre("f: is empty; expected keys and values"));
  EXPECT_THAT(problems_of("- a\n"), ElementsAre("f:1:1: expected keys and values at the top, found a list"));
  EXPECT_THAT(problems_of("a\n"), ElementsAre("f:1:1: expected keys and values at the top, found \"a\""));
  EXPECT_THAT(problems_of("a: 1\n---\nb: 2\n"),
              ElementsAre("f:2:1: is the start of a second document; a file holds one"));
}

TEST(YamlDocument, RefusesWhatHidesValues) {
  EXPECT_THAT(problems_of("a: &x 1\nb: *x\n"), ElementsAre(StartsWith("f:1:4: anchors (&name) are not supported")));
  EXPECT_THAT(problems_of("a: !!int 1\n"), ElementsAre(StartsWith("f:1:4: tags (")));
  EXPECT_THAT(problems_of("? [a, b]\n: 1\n"), ElementsAre("f:1:3: a key must be a plain name, not a list or map"));
  EXPECT_THAT(problems_of("~: 1\n"), ElementsAre(HasSubstr("a key must be a plain name")));
}

TEST(YamlDocument, Limits) {
  const auto nested = [](std::size_t depth) {
    return "a: " + std::string(depth, '[') + std::string(depth, ']') + "\n";
  };
  const auto read = [](Fields& fields) { fields.find("a"); };
  EXPECT_THAT(problems_of(nested(YamlLimits::depth - 1), read), IsEmpty());
  EXPECT_THAT(problems_of(nested(YamlLimits::depth), read), ElementsAre("f:1:35: is nested deeper than 32 levels"));
  EXPECT_THAT(problems_of(nested(200'000), read), ElementsAre(HasSubstr("nested deeper than 32 levels")));
  EXPECT_THAT(problems_of(std::string(200'000, '['), read), ElementsAre(HasSubstr("f:1:1")));
  EXPECT_THAT(problems_of(std::string(100'000, '{'), read), ElementsAre(HasSubstr("a key must be a plain name")));
  EXPECT_THAT(problems_of(std::string(YamlLimits::bytes + 1, ' ')),
              ElementsAre("f: has 1048577 bytes; a file has at most 1048576"));
  std::string many = "a:\n";
  for (std::size_t i = 0; i <= YamlLimits::nodes; ++i)
    many += "- 1\n";
  EXPECT_THAT(problems_of(many, read), ElementsAre(HasSubstr("has more than 100000 keys and values")));
}

TEST(YamlDocument, DuplicateKeysAreReportedWithTheOtherProblems) {
  const auto read = [](Fields& fields) {
    fields.required("a", integer(0, 9));
    fields.map("m", [](Fields& m) { m.required("x", text()); });
  };
  EXPECT_THAT(problems_of("a: 77\na: 2\nm: {x: y, x: z}\n", read),
              ElementsAre("f:1:4: a: expected a whole number from 0 to 9, found \"77\"",
                          "f:2:1: a: is given twice, first at line 1", "f:3:11: m.x: is given twice, first at line 3"));
}

TEST(Fields, UnknownAndMissingKeys) {
  const auto read = [](Fields& fields) {
    fields.required("sram", bytes());
    fields.optional("clock", text());
  };
  EXPECT_THAT(problems_of("colour: 1\nsarm: 1 KiB\n", read),
              ElementsAre("f:1:1: sram: is missing", "f:1:1: colour: unknown key; known keys: sram, clock",
                          "f:2:1: sarm: unknown key; did you mean \"sram\"? known keys: sram, clock"));
}

TEST(Fields, NestedPathsAndPositions) {
  const auto read = [](Fields& fields) {
    fields.map("board", [](Fields& board) {
      board.required("sram", bytes());
      board.map("rates", [](Fields& rates) { rates.required("dense", quantity(Unit::macs_per_second)); });
    });
    fields.list_of_maps("runs", [](Fields& run) { run.required("frames", integer(1, 10)); });
  };
  EXPECT_THAT(
      problems_of("board:\n  sram: 512\n  rates: {dense: 3 W}\nruns:\n  - frames: 0\n  - frame: 1\n  - 5\n", read),
      ElementsAre(StartsWith("f:2:9: board.sram: \"512\": a size needs a unit"),
                  StartsWith("f:3:18: board.rates.dense: \"W\" is the unit of a power"),
                  "f:5:13: runs[0].frames: expected a whole number from 1 to 10, found \"0\"",
                  "f:6:5: runs[1].frames: is missing",
                  "f:6:5: runs[1].frame: unknown key; did you mean \"frames\"? known keys: frames",
                  "f:7:5: runs[2]: expected keys and values, found \"5\""));
}

TEST(Fields, ScalarsExpected) {
  const auto read = [](Fields& fields) {
    fields.required("a", text());
    fields.required("b", integer(-5, 5));
    fields.required("c", boolean());
    fields.required("d", bytes());
    fields.map("e", [](Fields&) {});
    fields.list("f", text());
  };
  EXPECT_THAT(problems_of("a: [x]\nb: {x: 1}\nc: yes\nd:\ne: 1\nf: 1\n", read),
              ElementsAre("f:1:4: a: expected a text, found a list",
                          "f:2:4: b: expected a whole number from -5 to 5, found a map",
                          "f:3:4: c: expected true or false, found \"yes\"", "f:4:1: d: expected a size, found nothing",
                          "f:5:4: e: expected keys and values, found \"1\"", "f:6:4: f: expected a list, found \"1\""));
}

TEST(Fields, Integers) {
  const auto problem = [](std::string_view number) {
    return problems_of("a: " + std::string(number) + "\n", [](Fields& fields) {
      fields.required("a", integer(std::numeric_limits<std::int64_t>::min(), std::numeric_limits<std::int64_t>::max()));
    });
  };
  for (const char* good : {"0", "-1", "9223372036854775807", "-9223372036854775808"})
    EXPECT_THAT(problem(good), IsEmpty());
  for (const char* bad : {"1.5", "1e3", "0x10", "9223372036854775808", "1 2", "+1", "''"}) {
    EXPECT_EQ(problem(bad).size(), 1u) << bad;
  }
}

TEST(Fields, Choices) {
  const auto read = [](Fields& fields) { fields.required("mode", choice({"parallel", "sequential"})); };
  EXPECT_THAT(problems_of("mode: parallel\n", read), IsEmpty());
  EXPECT_THAT(
      problems_of("mode: paralel\n", read),
      ElementsAre("f:1:7: mode: unknown \"paralel\"; did you mean \"parallel\"? expected one of parallel, sequential"));
  EXPECT_THAT(problems_of("mode: fast\n", read),
              ElementsAre("f:1:7: mode: unknown \"fast\"; expected one of parallel, sequential"));
}

TEST(Fields, OneOrMore) {
  std::vector<std::uint64_t> buffers;
  const auto read = [&](Fields& fields) { buffers = fields.one_or_more("buffers", bytes()); };
  EXPECT_THAT(problems_of("buffers: 16 KiB\n", read), IsEmpty());
  EXPECT_THAT(buffers, ElementsAre(16384));
  EXPECT_THAT(problems_of("buffers: [16 KiB, 32KiB]\n", read), IsEmpty());
  EXPECT_THAT(buffers, ElementsAre(16384, 32768));
  EXPECT_THAT(problems_of("buffers: [16 KiB, 32, 64]\n", read),
              ElementsAre(StartsWith("f:1:19: buffers[1]: \"32\""), StartsWith("f:1:23: buffers[2]: \"64\"")));
  EXPECT_THAT(problems_of("buffers: []\n", read),
              ElementsAre("f:1:10: buffers: is an empty list; expected at least one value"));
}

TEST(Fields, Figures) {
  Figure figure;
  const auto read = [&](Fields& fields) { figure = fields.figure("clock", Unit::hertz, positive); };
  EXPECT_THAT(problems_of("clock: {value: 216 MHz, source: data sheet}\n", read), IsEmpty());
  EXPECT_EQ(figure.value, 216e6);
  EXPECT_EQ(figure.source, "data sheet");
  EXPECT_FALSE(figure.assumed);
  EXPECT_THAT(problems_of("clock: {value: 216 MHz, source: \"assumed, as usual\"}\n", read), IsEmpty());
  EXPECT_TRUE(figure.assumed);
  EXPECT_THAT(
      problems_of("clock: 216 MHz\n", read),
      ElementsAre("f:1:8: clock: expected {value: a frequency, source: where it comes from}, found \"216 MHz\""));
  EXPECT_THAT(problems_of("clock: {value: 216 MHz}\n", read), ElementsAre("f:1:8: clock.source: is missing"));
  EXPECT_THAT(problems_of("clock: {value: 216 MHz, source: ''}\n", read),
              ElementsAre("f:1:33: clock.source: expected a text, found \"\""));
  EXPECT_THAT(problems_of("clock: {value: 216 MHz, source: assumed}\n", read),
              ElementsAre("f:1:33: clock.source: an assumption needs a reason: \"assumed, because ...\""));
  EXPECT_THAT(problems_of("clock: {value: 0 MHz, source: s}\n", read),
              ElementsAre("f:1:16: clock.value: \"0 MHz\" is out of range; expected a frequency above 0 Hz"));
}

TEST(Fields, FreeNames) {
  const auto read = [](Fields& fields) {
    fields.map("networks", [](Fields& networks) {
      EXPECT_THAT(networks.names(), ElementsAre("vgg16", "alexnet"));
      for (const std::string& name : networks.names())
        networks.required(name, integer(0, 9));
    });
  };
  EXPECT_THAT(problems_of("networks: {vgg16: 1, alexnet: 10}\n", read),
              ElementsAre(StartsWith("f:1:31: networks.alexnet")));
}

TEST(InputError, OneProblemPerLine) {
  const InputError error({Problem{"f", 1, 2, "k\ney", "bad"}, Problem{"", 0, 0, "board", "worse"}});
  EXPECT_STREQ(error.what(), "f:1:2: k?ey: bad\nboard: worse");
}

}  // namespace
}  // namespace spillway::platforms
