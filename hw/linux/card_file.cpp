#include "hw/linux/card_file.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <string>
#include <utility>

#include <fcntl.h>
#include <unistd.h>

#include "hw/swap/card_header.hpp"
#include "sim/core/layout.hpp"

namespace spillway::execution {
namespace {

std::string quoted(const std::filesystem::path& path) {
  return "card " + path.string();
}

int opened(const std::filesystem::path& path, int flags, Access access) {
  const int direct = access == Access::direct ? O_DIRECT : 0;
  const int descriptor = ::open(path.c_str(), flags | direct | O_CLOEXEC, 0644);
  if (descriptor >= 0) return descriptor;
  const int error = errno;
  if (error == EINVAL && direct != 0) {
    throw CardError(quoted(path) + ": its file system does not take direct access (O_DIRECT)");
  }
  throw CardError(quoted(path) + ": " + std::strerror(error));
}

}  // namespace

CardFile CardFile::create(const std::filesystem::path& path, std::uint32_t sectors) {
  CardFile file(path, opened(path, O_RDWR | O_CREAT | O_TRUNC, Access::cached));
  if (::ftruncate(file.descriptor_, static_cast<off_t>(sectors) * core::sector_bytes) != 0)
    throw CardError(quoted(path) + ": " + std::strerror(errno));
  return file;
}

bool CardFile::holds_card(const std::filesystem::path& path) {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) throw CardError(quoted(path) + ": " + std::strerror(errno));
  std::array<std::uint8_t, header_bytes> sector{};
  const ssize_t length = ::pread(descriptor, sector.data(), sector.size(), 0);
  ::close(descriptor);
  return length == static_cast<ssize_t>(sector.size()) && check_header(sector, {}) != CardFault::no_header;
}

CardFile::CardFile(std::filesystem::path path, Access access)
    : path_(std::move(path)), descriptor_(opened(path_, O_RDWR, access)) {}

CardFile::CardFile(CardFile&& other) noexcept
    : path_(std::move(other.path_)), descriptor_(std::exchange(other.descriptor_, -1)) {}

CardFile::~CardFile() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

void CardFile::fail(const char* doing, std::uint32_t sector, int error) const {
  const std::string where = quoted(path_) + ": cannot " + doing + " at sector " + std::to_string(sector) + ": ";
  throw CardError(where + (error == 0 ? "the card ends before" : std::strerror(error)));
}

void CardFile::read(std::uint32_t sector, std::span<std::uint8_t> bytes) const {
  auto at = static_cast<off_t>(sector) * core::sector_bytes;
  while (!bytes.empty()) {
    const ssize_t done = ::pread(descriptor_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("read", sector, done < 0 ? errno : 0);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += done;
  }
}

void CardFile::write(std::uint32_t sector, std::span<const std::uint8_t> bytes) const {
  auto at = static_cast<off_t>(sector) * core::sector_bytes;
  while (!bytes.empty()) {
    const ssize_t done = ::pwrite(descriptor_, bytes.data(), bytes.size(), at);
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) fail("write", sector, done < 0 ? errno : 0);
    bytes = bytes.subspan(static_cast<std::size_t>(done));
    at += done;
  }
}

void CardFile::flush() const {
  if (::fdatasync(descriptor_) != 0) throw CardError(quoted(path_) + ": " + std::strerror(errno));
}

}  // namespace spillway::execution
