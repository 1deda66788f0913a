#include <algorithm>
#include <iterator>
#include <sstream>

#include "program.hpp"
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/paths/paths.hpp"

namespace spillway::cli_test {
namespace {

constexpr std::string_view indent = "    ";
constexpr std::string_view prompt = "    $ spillway ";
constexpr std::string_view left_out = "[...]";

/// A call that README.md shows, with what it prints.
struct Shown {
  std::string arguments;
  std::vector<std::string> output;
};

std::vector<std::string> readme() {
  return lines(contents(paths::source("README.md")));
}

std::vector<Shown> shown_calls() {
  std::vector<Shown> calls;
  bool in_block = false;
  for (const std::string& line : readme()) {
    if (line.starts_with(prompt)) {
      calls.push_back({line.substr(prompt.size()), {}});
      in_block = true;
    } else if (in_block && (line.empty() || line.starts_with(indent)) && !line.starts_with("    $ ")) {
      calls.back().output.push_back(line.empty() ? "" : line.substr(indent.size()));
    } else {
      in_block = false;
    }
  }
  for (Shown& call : calls) {
    while (!call.output.empty() && call.output.back().empty())
      call.output.pop_back();
  }
  return calls;
}

/// Whether the lines are the expected ones, where `[...]` stands for any number of lines.
bool matches(const std::vector<std::string>& actual, const std::vector<std::string>& expected, std::size_t a = 0,
             std::size_t e = 0) {
  for (; e < expected.size(); ++a, ++e) {
    if (expected[e] == left_out) {
      for (std::size_t rest = a; rest <= actual.size(); ++rest) {
        if (matches(actual, expected, rest, e + 1)) return true;
      }
      return false;
    }
    if (a == actual.size() || actual[a] != expected[e]) return false;
  }
  return a == actual.size();
}

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return std::vector<std::string>(std::istream_iterator<std::string>(stream), {});
}

/// The cells of a row of a table in Markdown.
std::vector<std::string> cells(const std::string& row) {
  std::vector<std::string> found;
  std::istringstream stream(row.substr(1));
  for (std::string cell; std::getline(stream, cell, '|');)
    found.push_back(cell.substr(1, cell.size() - 2));
  return found;
}

TEST(Readme, EveryCallPrintsWhatItShows) {
  const std::vector<Shown> calls = shown_calls();
  EXPECT_GE(calls.size(), 4U);
  for (const Shown& shown : calls) {
    const Folder folder;
    const Call call = spillway(words(shown.arguments), folder.path());
    EXPECT_TRUE(matches(lines(call.out + call.err), shown.output)) << call.command << '\n' << call.out << call.err;
  }
}

TEST(Readme, EveryRowOfPublishedAgainstOursIsALineOfTheCallBesideIt) {
  const Folder folder;
  const Call call = spillway({"reproduce", "fig6", "fig7"}, folder.path());
  EXPECT_EQ(call.exit_code, 0) << call.err;
  const std::vector<std::string> printed = lines(call.out);
  std::size_t rows = 0;
  for (const std::string& line : readme()) {
    if (!line.starts_with("| io_") && !line.starts_with("| hidden_")) continue;
    std::vector<std::string> wanted = cells(line);
    ASSERT_EQ(wanted.size(), 7U) << line;
    wanted[1] += ",";
    wanted[2] = "buffer " + wanted[2];
    EXPECT_TRUE(std::ranges::any_of(printed, [&](const std::string& candidate) {
      return std::ranges::all_of(wanted,
                                 [&](const std::string& cell) { return candidate.find(cell) != std::string::npos; });
    })) << line;
    ++rows;
  }
  EXPECT_GE(rows, 8U);
}

}  // namespace
}  // namespace spillway::cli_test
