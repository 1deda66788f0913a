#include "models/mapped_file.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spillway::models {
namespace {

[[noreturn]] void fail(int error) {
  throw std::system_error(error, std::generic_category());
}

struct Descriptor {
  int number;
  ~Descriptor() { ::close(number); }
};

}  // namespace

std::shared_ptr<const std::span<const char>> map_file(const std::filesystem::path& path) {
  const int number = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (number < 0) fail(errno);
  const Descriptor descriptor{number};
  struct stat status = {};
  if (::fstat(number, &status) != 0) fail(errno);
  if (S_ISDIR(status.st_mode)) fail(EISDIR);
  if (!S_ISREG(status.st_mode)) fail(EINVAL);
  if (status.st_size == 0) return std::make_shared<const std::span<const char>>();
  const auto size = static_cast<std::size_t>(status.st_size);
  void* const address = ::mmap(nullptr, size, PROT_READ, MAP_PRIVATE, number, 0);
  if (address == MAP_FAILED) fail(errno);
  return {new std::span<const char>(static_cast<const char*>(address), size),
          [address, size](const std::span<const char>* bytes) {
            delete bytes;
            ::munmap(address, size);
          }};
}

}  // namespace spillway::models
