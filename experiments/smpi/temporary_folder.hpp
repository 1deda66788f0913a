#pragma once

#include <filesystem>

namespace spillway::smpi {

/// A new folder among the system's temporary files, which goes with its object.
class TemporaryFolder {
 public:
  /// Throws std::system_error: it cannot be made.
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace spillway::smpi
