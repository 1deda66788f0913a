#include "hw/mpi/weight_files.hpp"

#include <cerrno>
#include <deque>
#include <span>
#include <string>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "hw/mpi/program_text.hpp"
#include "hw/mpi/runtime/weight_file.hpp"

namespace spillway::mpi {
namespace {

/// A file that is written straight from where the numbers are.
class RawFile {
 public:
  explicit RawFile(const std::filesystem::path& path)
      : path_(path), file_(::open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666)) {
    if (file_ < 0) fail();
  }
  ~RawFile() { ::close(file_); }
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;

  void write(const void* data, std::size_t bytes, std::size_t offset) const {
    const char* at = static_cast<const char*>(data);
    while (bytes > 0) {
      const ssize_t written = ::pwrite(file_, at, bytes, static_cast<off_t>(offset));
      if (written < 0 && errno == EINTR) continue;
      if (written <= 0) fail();
      at += written;
      offset += static_cast<std::size_t>(written);
      bytes -= static_cast<std::size_t>(written);
    }
  }

  void resize(std::size_t bytes) const {
    if (::ftruncate(file_, static_cast<off_t>(bytes)) != 0) fail();
  }

  /// Of what is in the file behind the header.
  std::uint64_t checksum_of_numbers(std::size_t bytes) const {
    const std::size_t whole = weight_file_begin + bytes;
    void* const mapping = ::mmap(nullptr, whole, PROT_READ, MAP_SHARED, file_, 0);
    if (mapping == MAP_FAILED) fail();
    const std::uint64_t sum = checksum(static_cast<const char*>(mapping) + weight_file_begin, bytes);
    ::munmap(mapping, whole);
    return sum;
  }

 private:
  [[noreturn]] void fail() const {
    throw std::system_error(errno == 0 ? EIO : errno, std::generic_category(), path_.string());
  }

  std::filesystem::path path_;
  int file_;
};

void write_numbers(const RankPlan& plan, const RawFile& file) {
  file.resize(weight_file_begin + plan.weight_floats * sizeof(float));
  for (const kernels::ValueId constant : plan.constants) {
    const std::span<const float> numbers = plan.program.values[constant].numbers.values();
    file.write(numbers.data(), numbers.size_bytes(), weight_file_begin + plan.places[constant].index * sizeof(float));
  }
}

}  // namespace

std::uint64_t write_weight_files(const Deployment& deployment, const std::vector<RankPlan>& plans,
                                 const std::filesystem::path& folder) {
  std::deque<RawFile> files;
  std::vector<WeightFileHeader> headers;
  const std::string program = program_text(deployment, plans, 0);
  std::uint64_t hash = checksum(program.data(), program.size());
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    const RawFile& file = files.emplace_back(folder / (deployment.split.ranks[rank].key + ".weights"));
    write_numbers(plans[rank], file);
    WeightFileHeader header;
    header.rank = static_cast<std::uint32_t>(rank);
    header.bytes = plans[rank].weight_floats * sizeof(float);
    header.checksum = file.checksum_of_numbers(header.bytes);
    hash = checksum(&header.checksum, sizeof header.checksum, hash);
    headers.push_back(header);
  }
  for (std::size_t rank = 0; rank < plans.size(); ++rank) {
    headers[rank].split = hash;
    files[rank].write(&headers[rank], sizeof(WeightFileHeader), 0);
  }
  return hash;
}

}  // namespace spillway::mpi
