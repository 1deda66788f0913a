#include "hw/mpi/runtime/weight_file.hpp"

#include <cerrno>
#include <cstring>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

namespace spillway::mpi {
namespace {

constexpr std::uint64_t prime = 0x9E3779B185EBCA87ULL;

std::uint64_t mixed(std::uint64_t value) {
  value ^= value >> 32;
  value *= 0xD6E8FEB86659FD93ULL;
  value ^= value >> 32;
  return value;
}

[[noreturn]] void fail(const std::string& path, const std::string& what) {
  throw WeightFileError(path + ": " + what);
}

void check(const WeightFileHeader& header, std::size_t file_bytes, const std::string& path, std::uint64_t split,
           std::uint32_t rank) {
  const WeightFileHeader expected;
  if (std::memcmp(header.magic, expected.magic, sizeof header.magic) != 0) fail(path, "is no weight file of a split");
  if (header.byte_order != expected.byte_order) fail(path, "has another byte order than this machine");
  if (header.split != split || header.rank != rank)
    fail(path, "belongs to another split or rank than this program; expected the package that was made with it");
  if (header.bytes != file_bytes - weight_file_begin)
    fail(path, "is cut short: " + std::to_string(file_bytes) + " bytes; expected " +
                   std::to_string(header.bytes + weight_file_begin));
}

}  // namespace

std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed) {
  // Eight sums side by side: one alone would wait for its own multiplications.
  constexpr std::size_t lanes = 8, word = sizeof(std::uint64_t);
  std::uint64_t sums[lanes];
  for (std::size_t lane = 0; lane < lanes; ++lane)
    sums[lane] = seed + prime * (lane + 1);
  const char* at = static_cast<const char*>(data);
  std::size_t left = bytes;
  for (; left >= lanes * word; left -= lanes * word, at += lanes * word)
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      std::uint64_t value = 0;
      std::memcpy(&value, at + lane * word, word);
      const std::uint64_t sum = (sums[lane] ^ value) * prime;
      sums[lane] = (sum << 31) | (sum >> 33);
    }
  char rest[lanes * word] = {};
  if (left > 0) std::memcpy(rest, at, left);
  std::uint64_t result = mixed(bytes);
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    std::uint64_t value = 0;
    std::memcpy(&value, rest + lane * word, word);
    result = mixed(result ^ mixed(sums[lane] ^ value)) * prime;
  }
  return result;
}

MappedWeights::MappedWeights(const std::string& path, std::uint64_t split, std::uint32_t rank) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(path, std::string("cannot be read: ") + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const std::size_t bytes = known ? static_cast<std::size_t>(status.st_size) : 0;
  void* const mapping =
      bytes < weight_file_begin ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (bytes < weight_file_begin) fail(path, "is no weight file of a split");
  if (mapping == MAP_FAILED) fail(path, std::string("cannot be mapped: ") + std::strerror(errno));
  mapping_ = mapping;
  bytes_ = bytes - weight_file_begin;
  WeightFileHeader header;
  std::memcpy(&header, mapping_, sizeof header);
  try {
    check(header, bytes, path, split, rank);
    if (checksum(data(), bytes_) != header.checksum) fail(path, "is damaged: its checksum is another one");
  } catch (...) {
    ::munmap(mapping_, bytes);
    throw;
  }
}

MappedWeights::~MappedWeights() {
  if (mapping_ != nullptr) ::munmap(mapping_, bytes_ + weight_file_begin);
}

MappedWeights::MappedWeights(MappedWeights&& other) noexcept
    : mapping_(std::exchange(other.mapping_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}

MappedWeights& MappedWeights::operator=(MappedWeights&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

const float* MappedWeights::data() const {
  return reinterpret_cast<const float*>(static_cast<const char*>(mapping_) + weight_file_begin);
}

}  // namespace spillway::mpi
