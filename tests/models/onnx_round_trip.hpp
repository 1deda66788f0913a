#pragma once

#include <filesystem>
#include <string>
#include <string_view>

namespace spillway::models {

/// A folder of its own for one test; gone at the end.
class TestFolder {
 public:
  TestFolder();
  ~TestFolder();
  TestFolder(const TestFolder&) = delete;
  TestFolder& operator=(const TestFolder&) = delete;

  std::filesystem::path at(const std::string& name) const { return folder_ / name; }
  const std::filesystem::path& path() const { return folder_; }

 private:
  std::filesystem::path folder_;
};

/// Writes a network of the zoo and reads it back: everything must be as before.
void expect_round_trip(std::string_view network, bool external_data);

/// Reads a network of the zoo as an exporter of 2018 would have written it: shapes and counts must be the zoo's.
void expect_older_dialect(std::string_view network);

/// Every feature map that a layer with weights makes has values of the order of 1.
void expect_calibrated(std::string_view network);

}  // namespace spillway::models
