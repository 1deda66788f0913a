#include "sim/trace/csv_trace.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/compile.h>

#include "sim/trace/names.hpp"

namespace spillway::trace {
namespace {

constexpr std::size_t flush_bytes = std::size_t{1} << 20;

/// RFC 4180: a field with a separator, quote or line break stands in quotes, and its quotes are doubled.
std::string quoted(const std::string& text) {
  if (text.find_first_of(",\"\r\n") == std::string::npos) return text;
  std::string field = "\"";
  for (const char character : text) {
    if (character == '"') field += '"';
    field += character;
  }
  return field + '"';
}

}  // namespace

CsvTrace::CsvTrace(std::filesystem::path path, const std::vector<std::string>& layer_names) : file_(std::move(path)) {
  std::transform(layer_names.begin(), layer_names.end(), std::back_inserter(names_), quoted);
  buffer_.append(csv_header);
  buffer_.push_back('\n');
}

void CsvTrace::record(const Record& record) {
  const core::Task& task = record.task;
  if (task.layer >= names_.size()) {
    throw std::invalid_argument(
        fmt::format("trace: a task of layer {}, but there are names for {} layers", task.layer, names_.size()));
  }
  fmt::format_to(fmt::appender(buffer_), FMT_COMPILE("{},{},{},{},{},{},{},{},{}\n"), task.frame, task.layer,
                 names_[task.layer], task.tile, to_string(task.kind), task.index, record.start_ns, record.end_ns,
                 record.bytes);
  if (buffer_.size() < flush_bytes) return;
  file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
}

void CsvTrace::finish() {
  file_.write({buffer_.data(), buffer_.size()});
  buffer_.clear();
  file_.commit();
}

}  // namespace spillway::trace
