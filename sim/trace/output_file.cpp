#include "sim/trace/output_file.hpp"

#include <cerrno>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

namespace spillway::trace {
namespace {

/// Where the bytes go in the end: a symbolic link keeps pointing to the file that it names.
std::filesystem::path behind_link(const std::filesystem::path& path) {
  std::error_code error;
  if (!std::filesystem::is_symlink(path, error)) return path;
  const std::filesystem::path target = std::filesystem::canonical(path, error);
  return error ? path : target;
}

}  // namespace

OutputFile::OutputFile(std::filesystem::path path) : path_(std::move(path)) {
  std::error_code error;
  const std::filesystem::file_status status = std::filesystem::status(path_, error);
  if (std::filesystem::is_directory(status)) fail(EISDIR);
  // A rename would replace a device or pipe by a file.
  if (std::filesystem::exists(status) && !std::filesystem::is_regular_file(status)) {
    throw FileError(path_, fmt::format("cannot write '{}': not a regular file", path_.string()));
  }
  for (int attempt = 0; descriptor_ < 0; ++attempt) {
    temporary_ = behind_link(path_);
    temporary_ += fmt::format(".partial-{}-{}", ::getpid(), attempt);
    descriptor_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor_ < 0 && errno != EEXIST) fail(errno);
  }
}

OutputFile::~OutputFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
  if (!temporary_.empty()) ::unlink(temporary_.c_str());
}

void OutputFile::write(std::string_view text) {
  while (!text.empty()) {
    const ::ssize_t written = ::write(descriptor_, text.data(), text.size());
    if (written >= 0) {
      text.remove_prefix(static_cast<std::size_t>(written));
    } else if (errno != EINTR) {
      fail(errno);
    }
  }
}

void OutputFile::commit() {
  if (::close(std::exchange(descriptor_, -1)) != 0) fail(errno);
  if (::rename(temporary_.c_str(), behind_link(path_).c_str()) != 0) fail(errno);
  temporary_.clear();
}

void OutputFile::fail(int error) const {
  throw FileError(path_, fmt::format("cannot write '{}': {}", path_.string(), std::generic_category().message(error)));
}

void write_file(const std::filesystem::path& path, std::string_view content) {
  OutputFile file(path);
  file.write(content);
  file.commit();
}

}  // namespace spillway::trace
