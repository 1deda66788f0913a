#include "experiments/journal.hpp"

#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include "experiments/metrics.hpp"
#include "sim/trace/output_file.hpp"

namespace spillway::experiments {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view header_mark = "spillway-journal-1";
constexpr std::string_view point_mark = "point";
constexpr auto sync_interval = std::chrono::seconds(1);

/// A field must hold neither a tab nor a line end.
std::string escaped(std::string_view text) {
  std::string field;
  for (const char letter : text) {
    switch (letter) {
      case '\\':
        field += "\\\\";
        break;
      case '\t':
        field += "\\t";
        break;
      case '\n':
        field += "\\n";
        break;
      default:
        field += letter;
    }
  }
  return field;
}

std::string unescaped(std::string_view field) {
  std::string text;
  for (std::size_t i = 0; i < field.size(); ++i) {
    if (field[i] != '\\' || i + 1 == field.size()) {
      text += field[i];
      continue;
    }
    const char letter = field[++i];
    text += letter == 't' ? '\t' : (letter == 'n' ? '\n' : letter);
  }
  return text;
}

std::vector<std::string_view> split(std::string_view line) {
  std::vector<std::string_view> fields;
  for (;;) {
    const std::size_t tab = line.find('\t');
    fields.push_back(line.substr(0, tab));
    if (tab == std::string_view::npos) return fields;
    line.remove_prefix(tab + 1);
  }
}

std::string line_of(const std::vector<std::string>& fields) {
  const std::string text = fmt::format("{}", fmt::join(fields, "\t"));
  return fmt::format("{}\t{}\n", checksum(text), text);
}

/// The fields of a line behind its check; nothing when the check disagrees.
std::optional<std::vector<std::string_view>> sound_fields(std::string_view line) {
  const std::size_t tab = line.find('\t');
  if (tab == std::string_view::npos || line.substr(0, tab) != checksum(line.substr(tab + 1))) return std::nullopt;
  return split(line.substr(tab + 1));
}

template <typename Number>
std::optional<Number> number(std::string_view text) {
  Number value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// A value's first letter tells its kind: name, count, figure.
std::string field_of(const std::optional<Value>& value) {
  if (!value) return "";
  return "ncf"[value->index()] + escaped(to_text(*value));
}

/// Nothing: not a field that field_of() writes.
std::optional<std::optional<Value>> value_of(std::string_view field) {
  if (field.empty()) return std::optional<Value>();
  const std::string_view text = field.substr(1);
  if (field.front() == 'n') return std::optional<Value>(unescaped(text));
  if (field.front() == 'c') {
    if (const auto count = number<std::uint64_t>(text)) return std::optional<Value>(*count);
  }
  if (field.front() == 'f') {
    if (const auto figure = number<double>(text)) return std::optional<Value>(*figure);
  }
  return std::nullopt;
}

std::optional<JournalHeader> header_of(const std::vector<std::string_view>& fields) {
  if (fields.size() != 5 || fields[0] != header_mark) return std::nullopt;
  const auto points = number<std::size_t>(fields[4]);
  if (!points) return std::nullopt;
  return JournalHeader{unescaped(fields[1]), unescaped(fields[2]), unescaped(fields[3]), *points};
}

std::optional<PointStatus> status_of(std::string_view text) {
  for (const PointStatus status :
       {PointStatus::done, PointStatus::infeasible, PointStatus::stalled, PointStatus::failed}) {
    if (to_string(status) == text) return status;
  }
  return std::nullopt;
}

std::optional<std::pair<std::size_t, PointResult>> point_of(const std::vector<std::string_view>& fields,
                                                            std::size_t metrics_of_a_run) {
  constexpr std::size_t fixed = 4;
  if (fields.size() < fixed || fields[0] != point_mark) return std::nullopt;
  const auto point = number<std::size_t>(fields[1]);
  const auto status = status_of(fields[2]);
  if (!point || *point < 1 || !status) return std::nullopt;
  PointResult result{*status, unescaped(fields[3]), {}};
  for (std::size_t i = fixed; i < fields.size(); ++i) {
    auto value = value_of(fields[i]);
    if (!value) return std::nullopt;
    result.metrics.push_back(std::move(*value));
  }
  if (result.metrics.size() != (*status == PointStatus::done ? metrics_of_a_run : 0)) return std::nullopt;
  return std::pair(*point - 1, std::move(result));
}

/// Takes a point's line into the results; whether it could.
bool take(const std::vector<std::string_view>& fields, std::size_t metrics_of_a_run, JournalContent& content) {
  auto found = point_of(fields, metrics_of_a_run);
  if (!found || found->first >= content.results.size()) return false;
  std::optional<PointResult>& place = content.results[found->first];
  if (!place) ++content.finished;
  place = std::move(found->second);
  return true;
}

}  // namespace

std::string checksum(std::string_view text) {
  std::uint64_t hash = 14695981039346656037U;
  for (const char letter : text) {
    hash ^= static_cast<unsigned char>(letter);
    hash *= 1099511628211U;
  }
  return fmt::format("{:016x}", hash);
}

std::string journal_line(std::size_t point, const PointResult& result) {
  std::vector<std::string> fields = {std::string(point_mark), fmt::format("{}", point + 1),
                                     std::string(to_string(result.status)), escaped(result.reason)};
  for (const std::optional<Value>& value : result.metrics)
    fields.push_back(field_of(value));
  return line_of(fields);
}

std::optional<std::pair<std::size_t, PointResult>> read_journal_line(std::string_view line,
                                                                     std::size_t metrics_of_a_run) {
  const auto fields = sound_fields(line);
  return fields ? point_of(*fields, metrics_of_a_run) : std::nullopt;
}

std::optional<JournalContent> read_journal(const fs::path& file, std::size_t metrics_of_a_run) {
  std::error_code error;
  if (!fs::exists(file, error)) return std::nullopt;
  std::ifstream stream(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(stream), {}};
  if (!stream) throw trace::FileError(file, fmt::format("cannot read '{}'", file.string()));

  std::optional<JournalContent> content;
  std::size_t begin = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; end = text.find('\n', begin)) {
    const auto fields = sound_fields(std::string_view(text).substr(begin, end - begin));
    begin = end + 1;
    if (!content) {
      const auto header = fields ? header_of(*fields) : std::nullopt;
      if (!header) return std::nullopt;
      content.emplace();
      content->header = *header;
      content->results.resize(header->points);
      content->sound_bytes = begin;
    } else if (fields && take(*fields, metrics_of_a_run, *content)) {
      content->sound_bytes = begin;
    }
  }
  return content;
}

Journal::Journal(fs::path file, const JournalHeader& header) : file_(std::move(file)) {
  trace::OutputFile first(file_);
  first.write(line_of({std::string(header_mark), escaped(header.experiment), escaped(header.version),
                       escaped(header.configuration), fmt::format("{}", header.points)}));
  first.commit();
  open();
}

Journal::Journal(fs::path file, const JournalContent& content) : file_(std::move(file)) {
  open();
  if (::ftruncate(descriptor_, static_cast<::off_t>(content.sound_bytes)) != 0) fail(errno);
}

Journal::~Journal() {
  if (descriptor_ < 0) return;
  ::fdatasync(descriptor_);
  ::close(descriptor_);
}

void Journal::open() {
  descriptor_ = ::open(file_.c_str(), O_WRONLY | O_APPEND | O_CLOEXEC);
  if (descriptor_ < 0) fail(errno);
  // The name of a new file is safe only with its directory.
  const fs::path folder = file_.has_parent_path() ? file_.parent_path() : fs::path(".");
  if (const int directory = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC); directory >= 0) {
    ::fdatasync(descriptor_);
    ::fsync(directory);
    ::close(directory);
  }
  synced_ = std::chrono::steady_clock::now();
}

void Journal::append(std::size_t point, const PointResult& result) {
  const std::string line = journal_line(point, result);
  for (std::string_view rest = line; !rest.empty();) {
    const ::ssize_t written = ::write(descriptor_, rest.data(), rest.size());
    if (written >= 0) {
      rest.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
  ++appended_;
  const auto now = std::chrono::steady_clock::now();
  if (now - synced_ < sync_interval) return;
  if (::fdatasync(descriptor_) != 0) fail(errno);
  synced_ = now;
}

void Journal::fail(int error) const {
  throw trace::FileError(file_,
                         fmt::format("cannot write '{}': {}", file_.string(), std::generic_category().message(error)));
}

}  // namespace spillway::experiments
