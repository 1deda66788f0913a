#pragma once

#include <filesystem>
#include <string>

namespace spillway::trace {

/// All bytes of a file or pipe. Throws FileError (output_file.hpp), also for a folder, and for a device, which might
/// never end.
std::string read_file(const std::filesystem::path& path);

}  // namespace spillway::trace
