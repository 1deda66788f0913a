#pragma once

#include <cstddef>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "sim/trace/output_file.hpp"
#include "sim/trace/sink.hpp"

namespace spillway::trace {

/// Header line of the format; see README.md for the meaning of the columns.
inline constexpr std::string_view csv_header = "frame,layer,layer_name,tile,kind,index,start_ns,end_ns,bytes";

/// Writes every record as a line of CSV, in the order in which tasks finish. Pool levels have no place in it.
class CsvTrace final : public Sink {
 public:
  /// `layer_names` has one name for each row of the plan. Throws FileError.
  CsvTrace(std::filesystem::path path, const std::vector<std::string>& layer_names);

  /// Throws FileError, and std::invalid_argument for a layer without a name.
  void record(const Record& record) override;
  void pools(const PoolLevels&) override {}

  /// Completes the file and gives it its name; without it no file appears. Throws FileError.
  void finish();

 private:
  OutputFile file_;
  std::vector<std::string> names_;  ///< of layers, quoted where CSV needs it
  fmt::memory_buffer buffer_;
};

/// What a CSV trace holds.
struct CsvRecords {
  std::vector<Record> records;           ///< in the order of the file
  std::vector<std::string> layer_names;  ///< by layer number; empty where the trace has no task of that layer
};

/// Everything that is wrong with a CSV trace. what() has one line for each error, path:line:column in front.
class CsvError : public std::runtime_error {
 public:
  explicit CsvError(std::vector<std::string> found);

  std::vector<std::string> errors;
};

/// Reads what CsvTrace wrote. Throws FileError, and CsvError with all errors of the file (the first hundred, and how
/// many more there are).
CsvRecords read_csv_trace(const std::filesystem::path& path);

/// The same for a text; `name` stands for the path in errors.
CsvRecords parse_csv_trace(std::string_view text, const std::string& name);

}  // namespace spillway::trace
