#include "sim/trace/output_file.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include "tests/sim/trace/run.hpp"

namespace spillway::trace {
namespace {

std::string failure_of(const std::filesystem::path& path) {
  try {
    OutputFile file(path);
  } catch (const FileError& error) {
    EXPECT_EQ(error.path, path);
    return error.what();
  }
  return {};
}

TEST(OutputFile, AppearsWithCommit) {
  const tests::Folder folder;
  OutputFile file(folder / "t");
  file.write("one ");
  file.write("two");
  EXPECT_FALSE(std::filesystem::exists(folder / "t"));
  file.commit();
  EXPECT_EQ(tests::text_of(folder / "t"), "one two");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, EarlierFileStaysUntilCommit) {
  const tests::Folder folder;
  std::ofstream(folder / "t") << "old";
  {
    OutputFile file(folder / "t");
    file.write("new");
  }
  EXPECT_EQ(tests::text_of(folder / "t"), "old");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, TwoWritersOfOnePathDoNotMix) {
  const tests::Folder folder;
  OutputFile first(folder / "t"), second(folder / "t");
  first.write("first");
  second.write("second");
  first.commit();
  second.commit();
  EXPECT_EQ(tests::text_of(folder / "t"), "second");
  EXPECT_EQ(folder.entries(), 1u);
}

TEST(OutputFile, LinkKeepsPointingToItsTarget) {
  const tests::Folder folder;
  std::ofstream(folder / "target") << "old";
  std::filesystem::create_symlink(folder / "target", folder / "link");
  OutputFile file(folder / "link");
  file.write("new");
  file.commit();
  EXPECT_TRUE(std::filesystem::is_symlink(folder / "link"));
  EXPECT_EQ(tests::text_of(folder / "target"), "new");
}

TEST(OutputFile, PlacesThatCannotBeWrittenAreNamedWithTheReason) {
  const tests::Folder folder;
  const std::string missing = (folder / "none" / "t").string();
  EXPECT_EQ(failure_of(missing), "cannot write '" + missing + "': No such file or directory");
  EXPECT_EQ(failure_of(folder / ""), "cannot write '" + (folder / "").string() + "': Is a directory");
  EXPECT_EQ(failure_of("/dev/null"), "cannot write '/dev/null': not a regular file");
}

/// A limit on the size of files stands for a full disk.
TEST(OutputFile, FullDiskLeavesNothing) {
  const tests::Folder folder;
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{1000, before.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  std::string message;
  try {
    OutputFile file(folder / "t");
    file.write(std::string(2000, 'x'));
  } catch (const FileError& error) {
    message = error.what();
  }
  ::setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, old_handler);
  EXPECT_EQ(message, "cannot write '" + (folder / "t").string() + "': File too large");
  EXPECT_EQ(folder.entries(), 0u);
}

}  // namespace
}  // namespace spillway::trace
