#include "experiments/cli/table.hpp"

#include <algorithm>

#include <fmt/format.h>

namespace spillway::cli {

std::string Table::text() const {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_[c].heading.size();
    for (const auto& row : rows_)
      width = std::max(width, row[c].size());
    widths.push_back(width);
  }
  std::string text;
  const auto line = [&](const auto& cell) {
    std::string out;
    for (std::size_t c = 0; c < columns_.size(); ++c) {
      out += columns_[c].number ? fmt::format("{:>{}}  ", cell(c), widths[c])
                                : fmt::format("{:<{}}  ", cell(c), widths[c]);
    }
    out.erase(out.find_last_not_of(' ') + 1);
    text += out + '\n';
  };
  line([&](std::size_t c) { return columns_[c].heading; });
  line([&](std::size_t c) { return std::string(widths[c], '-'); });
  for (const auto& row : rows_) {
    line([&](std::size_t c) { return row[c]; });
  }
  return text;
}

std::string report_line(std::string_view name, const std::string& value) {
  return fmt::format("{:<12}{}\n", name, value);
}

double seconds(std::uint64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1e9;
}

std::string with_thousands(std::uint64_t count) {
  std::string digits = std::to_string(count);
  for (auto place = static_cast<std::ptrdiff_t>(digits.size()) - 3; place > 0; place -= 3) {
    digits.insert(static_cast<std::size_t>(place), 1, ',');
  }
  return digits;
}

}  // namespace spillway::cli
