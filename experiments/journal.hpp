#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "experiments/metrics.hpp"
#include "experiments/runner.hpp"

namespace spillway::experiments {

/// What the points of a journal belong to.
struct JournalHeader {
  std::string experiment;     ///< its name
  std::string version;        ///< of the program
  std::string configuration;  ///< ResultsDirectory::configuration: points may be put together only within one
  std::size_t points = 0;     ///< of the whole sweep

  friend bool operator==(const JournalHeader&, const JournalHeader&) = default;
};

/// What a journal holds. A line that does not agree with its own check, as the last one after a power cut, is as if it
/// were not there.
struct JournalContent {
  JournalHeader header;
  std::vector<std::optional<PointResult>> results;  ///< for each point of the sweep; nothing: not finished
  std::size_t finished = 0;                         ///< results that are there
  std::uintmax_t sound_bytes = 0;                   ///< up to the end of the last sound line
};

/// A point's line in a journal, its line end included.
std::string journal_line(std::size_t point, const PointResult& result);

/// A sound line of a journal without its line end: a point's number, from 0, and what became of it. Nothing: it is not
/// that, or has another number of metrics than a run of this kind has.
std::optional<std::pair<std::size_t, PointResult>> read_journal_line(std::string_view line,
                                                                     std::size_t metrics_of_a_run);

/// Reads a journal; nothing where there is none, or none whose first line is sound. Throws trace::FileError when the
/// file cannot be read. A line with another number of metrics than a run of this kind has is not sound.
std::optional<JournalContent> read_journal(const std::filesystem::path& file,
                                           std::size_t metrics_of_a_run = metrics().size());

/// Keeps finished points on the disk, so that a sweep that is killed can go on: a line of text for each point, whole in
/// the file when append() returns, and safe from a power cut within about a second. Line: the check of the rest in
/// hexadecimal, then fields separated by tabs (`point`, its number from 1, status, reason, metrics).
class Journal {
 public:
  /// Begins a journal, in the place of any earlier one. Throws trace::FileError.
  Journal(std::filesystem::path file, const JournalHeader& header);
  /// Goes on behind the last sound line of what read_journal() gave. Throws trace::FileError.
  Journal(std::filesystem::path file, const JournalContent& content);
  ~Journal();
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;

  /// Throws trace::FileError, on a full disk say; what was appended before stays sound. By one thread at a time.
  void append(std::size_t point, const PointResult& result);

  /// Points that this object has appended.
  std::size_t appended() const { return appended_; }

 private:
  void open();
  [[noreturn]] void fail(int error) const;

  std::filesystem::path file_;
  int descriptor_ = -1;
  std::size_t appended_ = 0;
  std::chrono::steady_clock::time_point synced_;
};

/// FNV-1a of 64 bits as 16 hexadecimal digits: tells accidents, not intent.
std::string checksum(std::string_view text);

}  // namespace spillway::experiments
