#pragma once

#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

namespace spillway::trace {

/// A file that cannot be read or written; the message names its path and the reason.
class FileError : public std::runtime_error {
 public:
  FileError(std::filesystem::path file, const std::string& what) : std::runtime_error(what), path(std::move(file)) {}

  std::filesystem::path path;
};

/// A file that appears whole or not at all: it is written beside its place under a temporary name and renamed by
/// commit(). Without commit() nothing stays, and an earlier file of that name is untouched.
class OutputFile {
 public:
  /// Opens the temporary file. Throws FileError, also where `path` is something else than a regular file.
  explicit OutputFile(std::filesystem::path path);
  ~OutputFile();
  OutputFile(const OutputFile&) = delete;
  OutputFile& operator=(const OutputFile&) = delete;

  /// Appends. Throws FileError.
  void write(std::string_view text);

  /// Closes the file and gives it its name. Throws FileError. Nothing may be written afterwards.
  void commit();

  const std::filesystem::path& path() const { return path_; }

 private:
  [[noreturn]] void fail(int error) const;

  std::filesystem::path path_, temporary_;
  int descriptor_ = -1;
};

/// Makes a file of that content, whole or not at all. Throws FileError.
void write_file(const std::filesystem::path& path, std::string_view content);

}  // namespace spillway::trace
