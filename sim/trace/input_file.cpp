#include "sim/trace/input_file.hpp"

#include <cerrno>
#include <fstream>
#include <iterator>
#include <system_error>

#include <fmt/format.h>

#include "sim/trace/output_file.hpp"

namespace spillway::trace {

std::string read_file(const std::filesystem::path& path) {
  const auto fail = [&](const std::string& reason) {
    throw FileError(path, fmt::format("cannot read '{}': {}", path.string(), reason));
  };
  std::error_code error;
  if (std::filesystem::is_directory(path, error)) fail(std::generic_category().message(EISDIR));
  if (std::filesystem::is_character_file(path, error))
    fail("is a device; expected a file (`scripts/capture board` makes one of what comes from a port)");
  std::ifstream file(path, std::ios::binary);
  if (!file) fail(std::generic_category().message(errno));
  std::string bytes(std::istreambuf_iterator<char>(file), {});
  if (file.bad()) fail(std::generic_category().message(errno));
  return bytes;
}

}  // namespace spillway::trace
