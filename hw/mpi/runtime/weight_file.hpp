#pragma once

#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>

/// The trained numbers of one rank as a file that is mapped as it is: a header of `weight_file_begin` bytes, then
/// float32 in the machine's order, each tensor aligned to 64 bytes.
namespace spillway::mpi {

inline constexpr std::size_t weight_file_begin = 4096;  ///< a page, so that the numbers begin at one
inline constexpr std::size_t weight_alignment = 64;

struct WeightFileHeader {
  char magic[8] = {'S', 'P', 'I', 'L', 'L', 'W', 'G', '1'};
  std::uint32_t byte_order = 0x01020304;
  std::uint32_t rank = 0;
  std::uint64_t split = 0;     ///< hash of the split: the program has the same
  std::uint64_t bytes = 0;     ///< behind the header
  std::uint64_t checksum = 0;  ///< of these bytes
};

/// A hash of bytes that any change of them changes but for one chance in 2^64. Not a cryptographic one.
std::uint64_t checksum(const void* data, std::size_t bytes, std::uint64_t seed = 0);

/// A file that is missing, damaged or of another split.
class WeightFileError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// The numbers of a rank, mapped read-only for as long as the object lives.
class MappedWeights {
 public:
  MappedWeights() = default;
  /// Maps and checks the whole file. Throws WeightFileError.
  MappedWeights(const std::string& path, std::uint64_t split, std::uint32_t rank);
  ~MappedWeights();
  MappedWeights(MappedWeights&& other) noexcept;
  MappedWeights& operator=(MappedWeights&& other) noexcept;

  std::size_t floats() const { return bytes_ / sizeof(float); }
  const float* data() const;

 private:
  void* mapping_ = nullptr;
  std::size_t bytes_ = 0;  ///< behind the header
};

}  // namespace spillway::mpi
