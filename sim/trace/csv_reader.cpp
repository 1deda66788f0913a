#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sim/trace/csv_trace.hpp"
#include "sim/trace/input_file.hpp"
#include "sim/trace/names.hpp"

namespace spillway::trace {
namespace {

constexpr std::size_t most_errors = 100;
constexpr std::array<std::string_view, 9> columns{"frame", "layer",    "layer_name", "tile", "kind",
                                                  "index", "start_ns", "end_ns",     "bytes"};
enum Column : std::size_t { frame, layer, layer_name, tile, kind, index, start_ns, end_ns, bytes };

struct Field {
  std::string text;
  std::size_t column = 0;  ///< of its first character, from 1
};

/// Cuts a text into lines of fields and collects errors with their place.
class Reader {
 public:
  Reader(std::string_view text, std::string name) : text_(text), name_(std::move(name)) {}

  CsvRecords read() {
    read_header();
    while (position_ < text_.size()) {
      const std::optional<std::vector<Field>> fields = next_line();
      if (fields) add_record(*fields);
    }
    if (!text_.empty() && text_.back() != '\n') {
      error(1, "the last line has no line end: the file was cut short");
    }
    if (error_count_ > errors_.size())
      errors_.push_back(fmt::format("{}: {} more errors", name_, error_count_ - errors_.size()));
    if (!errors_.empty()) throw CsvError(std::move(errors_));
    return std::move(result_);
  }

 private:
  void error(std::size_t column, const std::string& what) {
    if (error_count_++ < most_errors) errors_.push_back(fmt::format("{}:{}:{}: {}", name_, line_, column, what));
  }

  void read_header() {
    const std::optional<std::vector<Field>> fields = next_line();
    if (!fields || (fields->size() == 1 && fields->front().text.empty())) {
      line_ = 1;
      error(1, fmt::format("no header, expected {}", csv_header));
      return;
    }
    for (std::size_t column = 0; column < std::max(fields->size(), columns.size()); ++column) {
      if (column >= columns.size()) {
        const Field& field = (*fields)[column];
        error(field.column, fmt::format("unknown column '{}', expected the end of the header", field.text));
      } else if (column >= fields->size()) {
        error(fields->back().column, fmt::format("column '{}' is missing", columns[column]));
      } else if ((*fields)[column].text != columns[column]) {
        const Field& field = (*fields)[column];
        error(field.column, fmt::format("column '{}', expected '{}'", field.text, columns[column]));
      }
    }
  }

  /// The fields of the next line; empty after an error in its quotes. A quoted field may hold line breaks.
  std::optional<std::vector<Field>> next_line() {
    line_ = next_line_;
    line_start_ = position_;
    if (position_ >= text_.size()) return std::nullopt;
    std::vector<Field> fields;
    while (true) {
      std::optional<Field> field = next_field();
      if (!field) {
        skip_line();
        return std::nullopt;
      }
      fields.push_back(std::move(*field));
      if (position_ >= text_.size()) return fields;
      if (text_[position_++] == '\n') break;
    }
    ++next_line_;
    return fields;
  }

  /// Ends before a comma, a line end or the end of the text.
  std::optional<Field> next_field() {
    Field field{{}, position_ - line_start_ + 1};
    if (position_ < text_.size() && text_[position_] == '"') {
      if (!read_quoted(field)) return std::nullopt;
    } else {
      const std::size_t end = std::min(text_.find_first_of(",\n", position_), text_.size());
      field.text = text_.substr(position_, end - position_);
      position_ = end;
      if (position_ < text_.size() && text_[position_] == '\n' && field.text.ends_with('\r')) field.text.pop_back();
    }
    return field;
  }

  bool read_quoted(Field& field) {
    ++position_;
    while (true) {
      const std::size_t quote = text_.find('"', position_);
      if (quote == std::string_view::npos) {
        error(field.column, "a quote is never closed");
        position_ = text_.size();
        return false;
      }
      field.text += text_.substr(position_, quote - position_);
      position_ = quote + 1;
      if (position_ >= text_.size() || text_[position_] != '"') break;
      field.text += '"';
      ++position_;
    }
    next_line_ += static_cast<std::size_t>(std::count(field.text.begin(), field.text.end(), '\n'));
    if (text_.substr(position_).starts_with("\r\n")) ++position_;
    if (position_ < text_.size() && text_[position_] != ',' && text_[position_] != '\n') {
      error(field.column, "text after a closing quote, expected a comma or the end of the line");
      return false;
    }
    return true;
  }

  void skip_line() {
    const std::size_t end = text_.find('\n', position_);
    position_ = end == std::string_view::npos ? text_.size() : end + 1;
    ++next_line_;
  }

  template <typename Integer>
  void read_number(const Field& field, Column column, Integer& value) {
    const char* const end = field.text.data() + field.text.size();
    const auto [stop, code] = std::from_chars(field.text.data(), end, value);
    if (code == std::errc() && stop == end) return;
    error(field.column, fmt::format("{} is '{}', expected an integer from 0 to {}", columns[column], field.text,
                                    std::numeric_limits<Integer>::max()));
  }

  void add_record(const std::vector<Field>& fields) {
    if (fields.size() != columns.size()) {
      error(1, fmt::format("{} fields, expected {}", fields.size(), columns.size()));
      return;
    }
    const std::size_t errors_before = error_count_;
    Record record;
    core::Task& task = record.task;
    read_number(fields[frame], frame, task.frame);
    read_number(fields[layer], layer, task.layer);
    read_number(fields[tile], tile, task.tile);
    read_number(fields[index], index, task.index);
    read_number(fields[start_ns], start_ns, record.start_ns);
    read_number(fields[end_ns], end_ns, record.end_ns);
    read_number(fields[bytes], bytes, record.bytes);
    if (const auto known = task_kind(fields[kind].text)) {
      task.kind = *known;
    } else {
      std::vector<std::string_view> names;
      std::transform(task_kinds.begin(), task_kinds.end(), std::back_inserter(names), to_string);
      error(fields[kind].column,
            fmt::format("kind is '{}', expected one of {}", fields[kind].text, fmt::join(names, ", ")));
    }
    if (error_count_ > errors_before) return;
    check_record(record, fields);
    result_.records.push_back(record);
  }

  void check_record(const Record& record, const std::vector<Field>& fields) {
    const core::Task& task = record.task;
    if (record.end_ns < record.start_ns) {
      error(fields[end_ns].column,
            fmt::format("end_ns is {}, expected at least start_ns {}", record.end_ns, record.start_ns));
    }
    if (task.kind == core::TaskKind::write_output && task.index != 0) {
      error(fields[index].column, fmt::format("index is {}, expected 0 for write_output", task.index));
    }
    if (task.kind == core::TaskKind::compute && record.bytes != 0) {
      error(fields[bytes].column, fmt::format("bytes is {}, expected 0 for compute", record.bytes));
    }
    if (task.layer >= result_.layer_names.size()) {
      result_.layer_names.resize(task.layer + 1u);
      first_lines_.resize(task.layer + 1u);
    }
    std::string& known = result_.layer_names[task.layer];
    const std::string& name = fields[layer_name].text;
    if (std::exchange(first_lines_[task.layer], first_lines_[task.layer] ? first_lines_[task.layer] : line_) == 0) {
      known = name;
    } else if (known != name) {
      error(fields[layer_name].column, fmt::format("layer {} is named '{}', but '{}' in line {}", task.layer, name,
                                                   known, first_lines_[task.layer]));
    }
  }

  std::string_view text_;
  std::string name_;
  std::size_t position_ = 0, line_start_ = 0;
  std::size_t line_ = 1, next_line_ = 1;
  std::vector<std::size_t> first_lines_;  ///< of each layer; 0: not met yet
  CsvRecords result_;
  std::vector<std::string> errors_;
  std::size_t error_count_ = 0;
};

}  // namespace

CsvError::CsvError(std::vector<std::string> found)
    : std::runtime_error(fmt::format("{}", fmt::join(found, "\n"))), errors(std::move(found)) {}

CsvRecords parse_csv_trace(std::string_view text, const std::string& name) {
  return Reader(text, name).read();
}

CsvRecords read_csv_trace(const std::filesystem::path& path) {
  return parse_csv_trace(read_file(path), path.string());
}

}  // namespace spillway::trace
