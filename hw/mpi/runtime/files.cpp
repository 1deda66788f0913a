#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "hw/mpi/runtime/job.hpp"

namespace spillway::mpi {
namespace {

[[noreturn]] void fail(int code, const std::string& path, const std::string& what) {
  throw JobError(code, path + ": " + what);
}

}  // namespace

AlignedMemory::AlignedMemory(std::size_t bytes) : bytes_(bytes) {
  constexpr std::size_t alignment = 64;
  memory_ = std::make_unique<char[]>(bytes + alignment);
  begin_ = memory_.get();
  std::size_t space = bytes + alignment;
  std::align(alignment, bytes, begin_, space);
}

InputFile::InputFile(const std::string& path, const std::string& name, std::size_t floats) : floats_(floats) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) fail(2, path, "the input \"" + name + "\" cannot be read: " + std::strerror(errno));
  struct stat status {};
  const bool known = ::fstat(file, &status) == 0 && S_ISREG(status.st_mode);
  const std::size_t bytes = known ? static_cast<std::size_t>(status.st_size) : 0;
  const std::size_t frame_bytes = floats * sizeof(float);
  void* const mapping = bytes == 0 ? MAP_FAILED : ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE, file, 0);
  ::close(file);
  if (bytes == 0 || bytes % frame_bytes != 0)
    fail(2, path,
         "has " + std::to_string(bytes) + " bytes; expected whole frames of \"" + name + "\", " +
             std::to_string(frame_bytes) + " bytes each");
  if (mapping == MAP_FAILED) fail(1, path, std::string("cannot be mapped: ") + std::strerror(errno));
  numbers_ = static_cast<const float*>(mapping);
  frames_ = static_cast<long>(bytes / frame_bytes);
}

OutputFile::OutputFile(const std::string& folder, const std::string& name, std::size_t floats) : floats_(floats) {
  std::string file = name;
  for (char& letter : file)
    if (letter == '/') letter = '_';
  path_ = folder + "/" + file + ".f32";
  file_.reset(std::fopen((path_ + ".part").c_str(), "wb"));
  if (!file_) fail(2, path_, std::string("cannot be written: ") + std::strerror(errno));
}

OutputFile::~OutputFile() {
  if (!file_) return;
  file_.reset();
  std::remove((path_ + ".part").c_str());
}

void OutputFile::append(const float* numbers) {
  if (std::fwrite(numbers, sizeof(float), floats_, file_.get()) != floats_)
    fail(1, path_, std::string("cannot be written: ") + std::strerror(errno));
}

void OutputFile::close() {
  if (std::fclose(file_.release()) != 0 || std::rename((path_ + ".part").c_str(), path_.c_str()) != 0)
    fail(1, path_, std::string("cannot be written: ") + std::strerror(errno));
}

}  // namespace spillway::mpi
