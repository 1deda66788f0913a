#include "experiments/progress.hpp"

#include <cstdio>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace spillway::experiments {
namespace {

std::string report(bool on_terminal, std::size_t all) {
  std::FILE* file = std::tmpfile();
  {
    Progress progress(file, "fig6", on_terminal);
    for (std::size_t i = 1; i <= all; ++i)
      progress.report(i, all);
  }
  std::string text(static_cast<std::size_t>(std::ftell(file)), '\0');
  std::rewind(file);
  EXPECT_EQ(std::fread(text.data(), 1, text.size(), file), text.size());
  std::fclose(file);
  return text;
}

TEST(Progress, IsATenthALineWithoutATerminal) {
  const std::string text = report(false, 1000);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 10);
  EXPECT_THAT(text, testing::StartsWith("fig6: 100 of 1000 points, 10 %, about "));
  EXPECT_EQ(text.find('\r'), std::string::npos);
}

TEST(Progress, RewritesOneLineOnATerminal) {
  const std::string text = report(true, 1000);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 1);
  EXPECT_EQ(text.back(), '\n');
  EXPECT_THAT(text, testing::HasSubstr("\rfig6: 1000 of 1000 points, 100 %"));
}

TEST(Progress, ShortWorkIsReportedToo) {
  EXPECT_THAT(report(false, 1), testing::HasSubstr("1 of 1 points, 100 %"));
}

}  // namespace
}  // namespace spillway::experiments
