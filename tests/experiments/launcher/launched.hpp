#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "tests/experiments/launcher/job.hpp"

namespace spillway::launcher_test {

/// Runs of spillway-mpi beside those of one process.
class Launched : public testing::Test {
 protected:
  /// A file of that text; its path.
  std::string file(const std::string& name, const std::string& text) const;

  std::vector<std::string> sweep(const std::string& experiment, const std::string& output) const;
  std::vector<std::string> explore(const std::string& output, const std::vector<std::string>& more) const;

  /// Until a file of the output has so many lines. False: the job was over before.
  bool wait_for_lines(Job& job, const std::string& output, const std::string& name, std::size_t lines) const;

  /// What one process leaves, files and their bytes, but for the record of the run; nothing more is there.
  void expect_same(const std::string& output, const std::string& of_one, const std::string& record) const;

  const cli_test::Folder folder;
};

/// With `--resume`.
std::vector<std::string> resumed(std::vector<std::string> arguments);

/// Takes a second on one core.
extern const std::string slow_sweep;

}  // namespace spillway::launcher_test
