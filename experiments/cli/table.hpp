#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace spillway::cli {

/// A table for people: columns as wide as their widest cell, two spaces between them.
class Table {
 public:
  /// A column's heading; numbers stand to the right.
  struct Column {
    std::string heading;
    bool number = false;
  };

  explicit Table(std::vector<Column> columns) : columns_(std::move(columns)) {}

  /// One cell for each column.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }

  /// Headings, a rule and the rows, each line ended.
  std::string text() const;

 private:
  std::vector<Column> columns_;
  std::vector<std::vector<std::string>> rows_;
};

/// A line of a report for people: what it says, and the value beside it.
std::string report_line(std::string_view name, const std::string& value);

/// Nanoseconds as seconds.
double seconds(std::uint64_t nanoseconds);

/// A count for people, thousands apart: `85,871`.
std::string with_thousands(std::uint64_t count);

}  // namespace spillway::cli
