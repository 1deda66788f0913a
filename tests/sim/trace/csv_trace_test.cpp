#include "sim/trace/csv_trace.hpp"

#include <limits>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/sim/trace/run.hpp"

namespace spillway::trace {
namespace {

using core::TaskKind;
using testing::ElementsAre;
using testing::HasSubstr;

std::string lines(const std::string& rest) {
  return std::string(csv_header) + "\n" + rest;
}

std::vector<std::string> errors_of(const std::string& text) {
  try {
    parse_csv_trace(text, "t.csv");
  } catch (const CsvError& error) {
    return error.errors;
  }
  return {};
}

void expect_equal(const std::vector<Record>& read, const std::vector<Record>& written) {
  ASSERT_EQ(read.size(), written.size());
  for (std::size_t index = 0; index < read.size(); ++index) {
    EXPECT_EQ(read[index].task, written[index].task);
    EXPECT_EQ(read[index].start_ns, written[index].start_ns);
    EXPECT_EQ(read[index].end_ns, written[index].end_ns);
    EXPECT_EQ(read[index].bytes, written[index].bytes);
  }
}

TEST(CsvTrace, WritesOneLineForEachTask) {
  const tests::Folder folder;
  CsvTrace trace(folder / "t.csv", {"conv1_1", "fc, \"big\""});
  trace.record({{2, 7, 3, 0, TaskKind::read_weights}, 12'345, 22'345, 16'384});
  trace.record({{2, 0, 0, 1, TaskKind::compute}, 22'345, 22'400, 0});
  trace.finish();
  EXPECT_EQ(tests::text_of(folder / "t.csv"), lines("2,0,conv1_1,7,read_weights,3,12345,22345,16384\n"
                                                    "2,1,\"fc, \"\"big\"\"\",0,compute,0,22345,22400,0\n"));
}

TEST(CsvTrace, RoundTripIsExact) {
  const tests::Folder folder;
  tests::Network network = tests::three_layers(4, 3, 2);
  network.names[0] = "two\nlines, and a \"quote\"";
  tests::Recorder recorder;
  ASSERT_GT(tests::run(network.plan(), recorder), 0u);
  constexpr auto most = std::numeric_limits<std::uint32_t>::max();
  constexpr auto longest = std::numeric_limits<std::uint64_t>::max();
  recorder.records.push_back({{most, most, most, 2, TaskKind::read_input}, longest - 1, longest, longest});
  const auto write = [&](const std::string& name, const std::vector<Record>& records,
                         const std::vector<std::string>& names) {
    CsvTrace trace(folder / name, names);
    for (const Record& record : records)
      trace.record(record);
    trace.finish();
  };
  write("first.csv", recorder.records, network.names);
  const CsvRecords read = read_csv_trace(folder / "first.csv");
  expect_equal(read.records, recorder.records);
  EXPECT_EQ(read.layer_names, network.names);
  write("second.csv", read.records, read.layer_names);
  EXPECT_EQ(tests::text_of(folder / "first.csv"), tests::text_of(folder / "second.csv"));
}

TEST(CsvTrace, LineEndsOfOtherSystemsAreRead) {
  std::string text = lines("0,0,a,0,compute,0,0,1,0\n0,1,\"b\",0,compute,0,1,2,0\n");
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', end + 2))
    text.insert(end, "\r");
  const CsvRecords read = parse_csv_trace(text, "t.csv");
  EXPECT_EQ(read.records.size(), 2u);
  EXPECT_THAT(read.layer_names, ElementsAre("a", "b"));
}

TEST(CsvTrace, LayersWithoutTasksHaveNoName) {
  EXPECT_THAT(parse_csv_trace(lines("0,2,c,0,compute,0,0,1,0\n"), "t.csv").layer_names, ElementsAre("", "", "c"));
}

TEST(CsvTrace, AllErrorsAreReportedWithTheirPlace) {
  EXPECT_THAT(
      errors_of(lines("x,0,conv,0,compute,0,0,1,0\n"
                      "0,65536,conv,0,compote,0,0,1,0\n"
                      "0,0,conv,0,compute,0,5,4,0\n"
                      "0,0,conv\n"
                      "0,0,other,0,compute,0,0,1,0\n"
                      "0,0,conv,0,write_output,1,0,1,8\n"
                      "0,0,conv,0,compute,0,0,1,8\n"
                      "0,0,conv,-1,compute,1.5,0,1,\n")),
      ElementsAre("t.csv:2:1: frame is 'x', expected an integer from 0 to 4294967295",
                  "t.csv:3:3: layer is '65536', expected an integer from 0 to 65535",
                  "t.csv:3:16: kind is 'compote', expected one of read_input, read_weights, compute, write_output",
                  "t.csv:4:24: end_ns is 4, expected at least start_ns 5", "t.csv:5:1: 3 fields, expected 9",
                  "t.csv:6:5: layer 0 is named 'other', but 'conv' in line 4",
                  "t.csv:7:25: index is 1, expected 0 for write_output",
                  "t.csv:8:26: bytes is 8, expected 0 for compute",
                  "t.csv:9:10: tile is '-1', expected an integer from 0 to 4294967295",
                  "t.csv:9:21: index is '1.5', expected an integer from 0 to 4294967295",
                  "t.csv:9:29: bytes is '', expected an integer from 0 to 18446744073709551615"));
}

TEST(CsvTrace, LinesAfterAQuotedLineBreakAreCountedRight) {
  EXPECT_THAT(errors_of(lines("0,0,\"a\nb\",0,compute,0,0,1,0\n0,0,c\n")),
              ElementsAre("t.csv:4:1: 3 fields, expected 9"));
}

TEST(CsvTrace, BrokenQuotesAreErrors) {
  EXPECT_THAT(errors_of(lines("0,0,\"a\"b,0,compute,0,0,1,0\n0,0,\"a\n")),
              ElementsAre("t.csv:2:5: text after a closing quote, expected a comma or the end of the line",
                          "t.csv:3:5: a quote is never closed"));
}

TEST(CsvTrace, FileThatWasCutShortIsAnError) {
  EXPECT_THAT(errors_of(lines("0,0,a,0,read_input,0,0,1,1638")),
              ElementsAre("t.csv:2:1: the last line has no line end: the file was cut short"));
}

TEST(CsvTrace, HeaderMustBeTheFormats) {
  EXPECT_THAT(errors_of(""), ElementsAre("t.csv:1:1: no header, expected " + std::string(csv_header)));
  EXPECT_THAT(
      errors_of("frame,layer,layer_name,tile,kind,index,start_us,end_ns\n"),
      ElementsAre("t.csv:1:40: column 'start_us', expected 'start_ns'", "t.csv:1:49: column 'bytes' is missing"));
  EXPECT_THAT(errors_of(std::string(csv_header) + ",energy\n"),
              ElementsAre("t.csv:1:62: unknown column 'energy', expected the end of the header"));
}

TEST(CsvTrace, ErrorsBeyondTheFirstHundredAreCounted) {
  std::string text = lines("");
  for (int line = 0; line < 150; ++line)
    text += "x\n";
  const std::vector<std::string> errors = errors_of(text);
  ASSERT_EQ(errors.size(), 101u);
  EXPECT_EQ(errors.back(), "t.csv: 50 more errors");
}

TEST(CsvTrace, UnreadableFilesAreNamed) {
  const tests::Folder folder;
  const auto message = [](const std::filesystem::path& path) {
    try {
      read_csv_trace(path);
    } catch (const FileError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_EQ(message(folder / "none.csv"),
            "cannot read '" + (folder / "none.csv").string() + "': No such file or directory");
  EXPECT_THAT(message(folder / ""), HasSubstr("Is a directory"));
}

TEST(CsvTrace, LayerWithoutANameIsRefused) {
  const tests::Folder folder;
  CsvTrace trace(folder / "t.csv", {"conv1_1"});
  EXPECT_THROW(trace.record({{0, 0, 0, 1, TaskKind::compute}, 0, 1, 0}), std::invalid_argument);
}

}  // namespace
}  // namespace spillway::trace
